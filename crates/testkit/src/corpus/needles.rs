//! Words that are in a corpus a known number of times, to search for.

/// In the first prompt of exactly one session.
pub const RARE: &str = "glimmerquartz";

/// In the first prompt of every hundredth session.
pub const UNCOMMON: &str = "tessellated_heron";

/// A phrase in the first prompt of every fiftieth session.
pub const PHRASE: &str = "drops the final line of a header";

/// In the first prompt of every session that speaks Chinese or Japanese.
pub const CJK: &str = "請修復標頭解析器";

/// In nearly every session, many times.
pub const COMMON: &str = "parse";

/// The needles that the session with this number holds; 0 is the first.
pub(super) fn of(number: usize) -> impl Iterator<Item = &'static str> {
    [
        (number == 0, RARE),
        (number.is_multiple_of(100), UNCOMMON),
        (number.is_multiple_of(50), PHRASE),
    ]
    .into_iter()
    .filter_map(|(holds, needle)| holds.then_some(needle))
}
