//! The lifecycle register: an append-only record of every Claude Code session that outlives its process.
