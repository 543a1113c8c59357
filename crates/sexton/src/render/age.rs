//! How long ago.

/// The time from `then_ms` to `now_ms` in at most four characters: `12s`, `5m`, `7h`, `9d`, `2y`; a time to come is `now`.
#[must_use]
pub fn age(then_ms: i64, now_ms: i64) -> String {
    let seconds = now_ms.saturating_sub(then_ms) / 1000;
    match seconds {
        ..1 => "now".to_owned(),
        1..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..172_800 => format!("{}h", seconds / 3600),
        172_800..86_400_000 => format!("{}d", seconds / 86_400),
        _ => format!("{}y", (seconds / 31_557_600).min(999)),
    }
}

/// The same as a phrase: `5m ago`, `just now`.
#[must_use]
pub fn ago(then_ms: i64, now_ms: i64) -> String {
    match age(then_ms, now_ms).as_str() {
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unit_and_never_wider_than_four() {
        for (seconds, shown) in [
            (-5, "now"),
            (0, "now"),
            (59, "59s"),
            (60, "1m"),
            (3599, "59m"),
            (3600, "1h"),
            (172_799, "47h"),
            (172_800, "2d"),
            (86_399_999, "999d"),
            (86_400_000, "2y"),
        ] {
            assert_eq!(age(0, seconds * 1000), shown);
        }
        assert_eq!(age(i64::MIN, i64::MAX), "999y");
    }
}
