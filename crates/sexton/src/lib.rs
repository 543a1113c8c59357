//! The façade: what the commands are made of.
