//! The words of a text as the engine stores them, and what a query word needs of them.
//!
//! A word is itself, in lower case. An identifier, path or address is stored by its atoms (`load`, `all`), by each pair of neighbours
//! with what joins them (`load_all`), and, where humps cut it, as a whole between joiners (`getuserbyid`); so a query of any two
//! neighbouring parts is one exact token, and a longer one is its pairs, verified against the text. Scripts without blanks are stored
//! as pairs of neighbouring characters. A message has a token or
//! has it not: there are no positions.

mod class;
mod needs;
mod split;
mod tokenizer;

pub(crate) use class::{Class, fold, of as class_of};
pub use needs::{Needs, Wanted, wanted};
pub(crate) use split::Hump;
pub use tokenizer::Tokenizer;
#[cfg(test)]
pub(crate) use tokenizer::tokens_of;

/// The longest token that is stored, in bytes: a SHA-512 in hexadecimal with a name before it fits.
const LONGEST_TOKEN: usize = 160;

/// A compound longer than this, in bytes, is data (base64, minified code without a blank) and yields no tokens.
const LONGEST_COMPOUND: usize = 1024;
