//! Counting what a process does instead of timing it: the same on a busy machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bench::sample::Program;
use crate::{Result, corpus};

/// What one run did; `None` where the tool that counts it is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Calls to the kernel about files, by group.
    pub(crate) calls: Option<BTreeMap<String, u64>>,
    /// Instructions executed in user space.
    pub(crate) instructions: Option<u64>,
}

/// The groups that are counted. Memory and threads are left out: they differ from run to run.
const GROUPS: [(&str, &[&str]); 7] = [
    ("open", &["open", "openat", "openat2", "creat"]),
    (
        "look",
        &[
            "stat",
            "lstat",
            "fstat",
            "newfstatat",
            "statx",
            "access",
            "faccessat",
            "faccessat2",
            "readlink",
            "readlinkat",
        ],
    ),
    ("list", &["getdents64"]),
    ("read", &["read", "pread64", "readv", "preadv"]),
    ("write", &["write", "pwrite64", "writev", "pwritev"]),
    ("sync", &["fsync", "fdatasync", "sync_file_range"]),
    (
        "change",
        &[
            "rename",
            "renameat",
            "renameat2",
            "unlink",
            "unlinkat",
            "mkdir",
            "mkdirat",
            "link",
            "linkat",
            "ftruncate",
        ],
    ),
];

/// Counts one run of `program`, each tool in a run of its own after `prepare`.
pub(crate) fn count(program: &Program, prepare: &dyn Fn() -> Result<()>) -> Result<Counts> {
    prepare()?;
    let calls = calls(program)?;
    prepare()?;
    let instructions = instructions(program)?;
    Ok(Counts { calls, instructions })
}

/// Calls to the kernel as `strace` sees them.
fn calls(program: &Program) -> Result<Option<BTreeMap<String, u64>>> {
    let Some(strace) = tool("strace") else { return Ok(None) };
    let table = corpus::scratch()?.join("strace");
    let table_name = table.to_string_lossy();
    let options = ["-f", "-qq", "-c", "-U", "calls,name", "-o", &table_name];
    // Side by side on one processor each call costs a tenth: across two of them a busy machine takes so long that a list reads the
    // register again, which must be no older than a tenth of a second.
    run(&match (tool("taskset"), first_processor()) {
        (Some(taskset), Some(processor)) => {
            let pinned = ["-c", &processor, &strace];
            program.under(&taskset, &[&pinned[..], &options].concat())
        }
        _ => program.under(&strace, &options),
    })?;
    let table = fs::read_to_string(table)?;
    let mut counted: BTreeMap<String, u64> = GROUPS.iter().map(|(group, _)| ((*group).to_owned(), 0)).collect();
    for line in table.lines() {
        let mut words = line.split_whitespace();
        let (Some(Ok(calls)), Some(name)) = (words.next().map(str::parse::<u64>), words.next()) else {
            continue;
        };
        for (group, _) in GROUPS.iter().filter(|(_, names)| names.contains(&name)) {
            *counted.entry((*group).to_owned()).or_default() += calls;
        }
    }
    Ok(Some(counted))
}

/// Instructions as callgrind counts them.
pub(crate) fn instructions(program: &Program) -> Result<Option<u64>> {
    let Some(valgrind) = tool("valgrind") else {
        return Ok(None);
    };
    let log = corpus::scratch()?.join("valgrind");
    let log_option = format!("--log-file={}", log.display());
    run(&program.under(
        &valgrind,
        &["--tool=callgrind", "--callgrind-out-file=/dev/null", &log_option],
    ))?;
    let text = fs::read_to_string(log)?;
    let line = text
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .ok_or("callgrind counted nothing")?;
    Ok(Some(line.1.trim().parse()?))
}

fn run(program: &Program) -> Result<()> {
    match program.sample()?.code {
        Some(0) => Ok(()),
        code => Err(format!(
            "`{}` ended with {code:?}: {}",
            program.described(),
            fs::read_to_string(crate::bench::sample::error_file()?)?
        )
        .into()),
    }
}

/// The first processor that this process may run on.
fn first_processor() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let first = list.trim().split([',', '-']).next()?;
    (!first.is_empty()).then(|| first.to_owned())
}

fn tool(name: &str) -> Option<String> {
    let path = format!("/usr/bin/{name}");
    Path::new(&path).exists().then_some(path)
}
