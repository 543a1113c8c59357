//! How many of something.

use std::fmt::Display;

/// `1 session`, `3 sessions`: a number and its noun, which is given in the singular.
#[must_use]
pub fn counted(count: impl Display, noun: &str) -> String {
    let number = count.to_string();
    if number == "1" {
        return format!("1 {noun}");
    }
    let (stem, ending) = match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ if noun.ends_with("ch") => (noun, "es"),
        _ => (noun, "s"),
    };
    format!("{number} {stem}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_one_and_all_else_is_many() {
        for (count, noun, shown) in [
            (0, "session", "0 sessions"),
            (1, "session", "1 session"),
            (2, "loose end", "2 loose ends"),
            (11, "copy", "11 copies"),
            (1, "copy", "1 copy"),
            (3, "match", "3 matches"),
            (2, "session directory", "2 session directories"),
            (2, "day", "2 days"),
        ] {
            assert_eq!(counted(count, noun), shown);
        }
    }
}
