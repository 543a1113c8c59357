//! `/proc/<pid>/stat`, as proc(5) describes it.

use std::fs::File;
use std::io::Read;

/// The fields of `/proc/<pid>/stat` that tell processes apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessStat {
    /// Field 3: `R`, `S`, `Z` and so on.
    pub state: char,
    /// Field 4: the parent's pid.
    pub parent: u32,
    /// Field 22: the start time in clock ticks since boot, in the kernel's own spelling.
    pub start_ticks: String,
}

impl ProcessStat {
    /// Whether the process has ended and only waits to be collected: it keeps its pid and start time, and is dead all the same.
    #[must_use]
    pub fn is_zombie(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// Reads one line of `/proc/<pid>/stat`.
    ///
    /// The second field is the program's name in parentheses and may itself hold spaces and parentheses, so that fields are counted
    /// after the last `)`.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let (_, rest) = line.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let parent = fields.next()?.parse().ok()?;
        let start_ticks = fields.nth(17)?.to_owned();
        Some(Self {
            state,
            parent,
            start_ticks,
        })
    }
}

/// The stat line of `pid`, if `/proc` shows one.
pub(crate) fn read(pid: u32) -> Option<ProcessStat> {
    // Some three hundred bytes, and given in one piece: a size that is told as 0 would be felt for in five reads.
    let mut bytes = [0; 2048];
    let length = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut bytes).ok()?;
    ProcessStat::parse(&String::from_utf8_lossy(&bytes[..length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_may_look_like_fields() {
        let line = "330 (a) R 1 (b) 2) S 329 330 330 34816 330 4194304 9 0 0 0 1 2 0 0 20 0 11 0 250292 1 2 3\n";
        let stat = ProcessStat::parse(line).unwrap();
        assert_eq!(
            (stat.state, stat.parent, stat.start_ticks.as_str()),
            ('S', 329, "250292")
        );
    }

    #[test]
    fn a_short_line_is_nothing() {
        assert_eq!(ProcessStat::parse("330 (a) S 1 2 3"), None);
        assert_eq!(ProcessStat::parse(""), None);
    }
}
