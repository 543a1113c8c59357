//! Claude Code's own files, read-only: config directories, live registry, transcripts, footprints, hook payloads.
