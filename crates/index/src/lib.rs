//! Derived knowledge: the catalogue of sessions, full text, retained sessions and the vault of compressed copies.

mod calls;
pub mod catalogue;
pub mod engine;
mod error;
pub mod facts;
pub mod matching;
pub mod message;
pub mod pass;
mod pieces;
pub mod query;
pub mod scan;
pub mod search;
pub mod snippet;
mod spans;
mod sum;
pub mod texts;
pub mod tokens;
pub mod vault;
pub mod window;

pub use error::IndexError;
