//! When Claude Code will sweep a session away.
//!
//! Some minutes after a start the client unlinks what is older, by modification time, than `cleanupPeriodDays` of its settings.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sexton_sys::{FileTime, read};

use crate::json;

/// The client's default.
pub const DEFAULT_CLEANUP_PERIOD_DAYS: u32 = 30;

/// Where an administrator's settings lie on Linux; they override everyone's.
pub const MANAGED_SETTINGS: &str = "/etc/claude-code/managed-settings.json";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Larger settings files than this have not been seen by a factor of hundreds.
const LARGEST_SETTINGS: u64 = 16 * 1024 * 1024;

/// How long Claude Code keeps transcripts, and who said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanupPeriod {
    /// The period in days.
    pub days: u32,
    /// The settings file that sets it; `None` for the client's default.
    pub source: Option<PathBuf>,
}

/// The period that a client in `config_dir` goes by.
///
/// The first of the managed settings, `settings.local.json` and `settings.json` that sets `cleanupPeriodDays` to a whole number of
/// days. A project's own settings can shorten it for clients started there, which is not looked at.
#[must_use]
pub fn cleanup_period(config_dir: &Path, managed: Option<&Path>) -> CleanupPeriod {
    let own = ["settings.local.json", "settings.json"].map(|name| config_dir.join(name));
    managed
        .map(Path::to_path_buf)
        .into_iter()
        .chain(own)
        .find_map(|path| {
            Some(CleanupPeriod {
                days: period_in(&path)?,
                source: Some(path),
            })
        })
        .unwrap_or(CleanupPeriod {
            days: DEFAULT_CLEANUP_PERIOD_DAYS,
            source: None,
        })
}

/// The setting in one file. A file that is absent, unreadable or invalid sets nothing, as it does for the client.
fn period_in(path: &Path) -> Option<u32> {
    let bytes = read::read_limited(path, LARGEST_SETTINGS).ok()?;
    let settings: Map<String, Value> = json::parse_tolerantly(&bytes).ok()?;
    let days = settings.get("cleanupPeriodDays")?;
    let days = days.as_u64().or_else(|| whole(days.as_f64()?))?;
    Some(u32::try_from(days).unwrap_or(u32::MAX))
}

fn whole(number: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative, and `as` saturates"
    )]
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
}

impl CleanupPeriod {
    /// From when on a file last modified at `modified` may be swept, in milliseconds since the Unix epoch.
    ///
    /// The sweep itself happens at the first start of a client after that.
    #[must_use]
    pub fn sweep_due_ms(&self, modified: FileTime) -> i64 {
        modified.as_ms().saturating_add(i64::from(self.days) * DAY_MS)
    }

    /// The oldest modification time that is safe from a sweep at `now_ms`.
    #[must_use]
    pub fn oldest_kept_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_sub(i64::from(self.days) * DAY_MS)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests arrange files directly")]
mod tests {
    use super::*;

    #[test]
    fn the_first_file_that_sets_it_counts() {
        let home = tempfile::tempdir().unwrap();
        let managed = home.path().join("managed.json");
        let period = |managed: Option<&Path>| cleanup_period(home.path(), managed);
        assert_eq!(period(Some(&managed)).days, 30);
        assert_eq!(period(None).source, None);
        for (name, content, days) in [
            ("settings.json", r#"{"cleanupPeriodDays": 99}"#, 99),
            ("settings.local.json", r#"{"cleanupPeriodDays": "7"}"#, 99),
            ("settings.local.json", "{", 99),
            ("settings.local.json", r#"{"cleanupPeriodDays": -1}"#, 99),
            ("settings.local.json", r#"{"cleanupPeriodDays": 1.5}"#, 99),
            ("settings.local.json", r#"{"cleanupPeriodDays": 7.0}"#, 7),
            ("settings.local.json", r#"{"cleanupPeriodDays": 0}"#, 0),
            ("managed.json", r#"{"cleanupPeriodDays": 99999999999}"#, u32::MAX),
        ] {
            let path = home.path().join(name);
            std::fs::write(&path, content).unwrap();
            assert_eq!(period(Some(&managed)).days, days, "{name} {content}");
        }
        assert_eq!(period(Some(&managed)).source, Some(managed));
    }

    #[test]
    fn due_is_modification_plus_period() {
        let period = CleanupPeriod { days: 30, source: None };
        assert_eq!(period.sweep_due_ms(FileTime::from_ms(1000)), 30 * DAY_MS + 1000);
        assert_eq!(period.oldest_kept_ms(30 * DAY_MS + 1000), 1000);
        let forever = CleanupPeriod {
            days: u32::MAX,
            source: None,
        };
        assert!(
            forever.sweep_due_ms(FileTime {
                seconds: i64::MAX,
                nanoseconds: 0
            }) == i64::MAX
        );
    }
}
