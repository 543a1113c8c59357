//! The program as a shell sees it: completions and manual pages.

mod candidates;
pub mod completion;
pub mod files;
pub mod manual;
