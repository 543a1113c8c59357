//! Derived knowledge: the catalogue of sessions, full text, retained sessions and the vault of compressed copies.

pub mod engine;
pub mod matching;
pub mod message;
pub mod query;
pub mod tokens;
pub mod vault;
