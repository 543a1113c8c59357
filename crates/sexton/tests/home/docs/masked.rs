//! What differs from run to run.

use std::sync::LazyLock;

use regex::Regex;

/// Patterns and what stands for them; with the blanks before, since these belong to the alignment.
static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        // The name of an operation, or of a file that was set aside.
        (r" *\b\d{8}T\d{6}\.\d{3}Z(-[0-9a-f]{8})?\b", " <operation>"),
        // The id of an event.
        (r"\b[0-9a-f]{48}\b", "<event>"),
        // A moment.
        (
            r" *\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z| [+-]\d\d:\d\d)",
            " <time>",
        ),
        // An age: the machine is a little older each time.
        (r" *\b(\d+[smhd] ago|just now|\d+[smhd]|now)\b", " <age>"),
        // A size: of memory, or of files that hold their own paths.
        (r" *\b\d+(\.\d)?[KMG]\b", " <size>"),
        // A process id, or a small size. Years and the like are the same on both sides.
        (r" *\b\d{3,}\b", " <number>"),
    ]
    .map(|(pattern, name)| (Regex::new(pattern).unwrap(), name))
    .into()
});

/// The text with all that differs from run to run replaced by what it is.
pub(super) fn masked(text: &str) -> String {
    PATTERNS.iter().fold(text.to_owned(), |text, (pattern, name)| {
        pattern.replace_all(&text, *name).into_owned()
    })
}

#[test]
fn only_what_differs_from_run_to_run_is_masked() {
    let row =
        |age: &str, memory: &str| format!(" e8768ab1  working  kernel  parser-rewrite  2.1.332  {age:>3}  {memory:>4}");
    assert_eq!(masked(&row("now", "6.4M")), masked(&row("12s", "14M")));
    assert_ne!(
        masked(&row("now", "14M")),
        masked(&row("now", "14M").replace("kernel", "pid"))
    );
    assert_ne!(masked("3 sessions"), masked("4 sessions"));
    assert_eq!(
        masked("ended 2026-11-30 23:16:55 +00:00, pid 26428"),
        masked("ended 2027-01-01 00:00:00 +00:00, pid 7141312")
    );
}
