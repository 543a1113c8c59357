//! Where and on what figures were taken.

use std::fs;

use serde::Serialize;

use crate::binary;

/// A machine, a revision, a corpus.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory_gb: u64,
    pub(crate) kernel: String,
    pub(crate) revision: String,
    pub(crate) date: String,
    pub(crate) sessions: usize,
    pub(crate) bytes: u64,
}

impl Machine {
    pub(crate) fn of_this_run(sessions: usize, bytes: u64) -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let value = |text: &str, key: &str| -> String {
            let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
            line.split_once(':')
                .map_or("unknown", |(_, value)| value.trim())
                .to_owned()
        };
        let memory = value(&read("/proc/meminfo"), "MemTotal");
        let kibibytes: u64 = memory.trim_end_matches(" kB").parse().unwrap_or(0);
        Self {
            processor: value(&read("/proc/cpuinfo"), "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gb: kibibytes * 1024 / 1_000_000_000,
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            revision: binary::revision(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            sessions,
            bytes,
        }
    }

    /// One sentence about all of it.
    pub(crate) fn described(&self) -> String {
        format!(
            "{}, {} cores, {} GB of memory, Linux {}; revision {}, {}; {} sessions with {} MB of transcripts; warm cache",
            self.processor,
            self.cores,
            self.memory_gb,
            self.kernel,
            self.revision,
            self.date,
            self.sessions,
            self.bytes / 1_000_000
        )
    }
}
