//! The query language, what it asks of the index, and the filters beside it.
//!
//! Words are ANDed; `"a phrase"` stands as written, `-word` must not occur, `word*` begins a word, `a OR b` is either. Any text is a
//! query: what looks like broken syntax is taken as words.

mod filter;
mod parse;
mod plan;

pub use filter::{Filter, Role, SearchRequest, Sort, View};
pub use parse::{Clause, Query, QueryError, Term};
pub(crate) use plan::Verifying;
pub use plan::{Plan, Verification};
