//! From values to what a person reads: safe text, ages, sizes, paths, colours, tables.

pub mod age;
pub mod count;
pub mod path;
pub mod shell;
pub mod size;
pub mod style;
pub mod table;
pub mod text;
pub mod wrap;

pub use age::{age, ago};
pub use count::counted;
pub use path::short_path;
pub use size::size;
pub use style::Styles;
pub use table::{Align, Cell, Column, Table};
pub use text::{lines, one_line, truncate, truncate_left, visible, width};
pub use wrap::wrapped;
