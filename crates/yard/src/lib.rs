//! What people do to sessions: archive, delete, restore, tombstones, trash, journal and recovery.
