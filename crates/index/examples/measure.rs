//! Measures the index on a generated corpus, each step as a process of its own:
//! `measure generate DIR SESSIONS BYTES`, `measure pass DIR`, `measure search DIR QUERY [RUNS]`, `measure keep DIR`.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a tool for developers that fails by panicking"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use sexton_claude::config_dirs::{ConfigDirectory, Origin};
use sexton_index::catalogue::Catalogue;
use sexton_index::facts::FactStore;
use sexton_index::pass::{self, Keep, KeepPolicy, PassRequest};
use sexton_index::query::{Filter, Query, SearchRequest, Sort, View};
use sexton_index::search::{SNIPPET_WIDTH, SearchContext, search};
use sexton_index::texts::Texts;
use sexton_index::vault::Vault;
use sexton_sys::Effects;
use sexton_testkit::corpus::Corpus;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let home = PathBuf::from(&arguments[1]);
    let start = Instant::now();
    match arguments[0].as_str() {
        "generate" => {
            let generated = Corpus::new(arguments[2].parse().unwrap(), arguments[3].parse().unwrap()).generate(&home);
            println!("{} bytes, {} subagents", generated.bytes, generated.subagents);
        }
        "pass" => pass(&home, None),
        "keep" => pass(&home, Some(KeepPolicy::All)),
        "sessions" => println!("{} sessions", open(&home).sessions().unwrap().len()),
        _ => look(
            &home,
            &arguments[2],
            arguments.get(3).map_or(15, |runs| runs.parse().unwrap()),
        ),
    }
    println!("{:?} in all, {}", start.elapsed(), memory());
}

fn open(home: &Path) -> Catalogue {
    Catalogue::open(&home.join("cache/catalogue.sqlite"), &Effects::apply(), 0).unwrap()
}

fn pass(home: &Path, policy: Option<KeepPolicy>) {
    let config = home.join(".claude");
    let config_dirs = [ConfigDirectory {
        path: config.clone(),
        real: config,
        origin: Origin::Home,
    }];
    let keep = policy.map(|policy| Keep {
        policy,
        limit: u64::MAX,
    });
    let mut catalogue = open(home);
    let start = Instant::now();
    let request = PassRequest {
        config_dirs: &config_dirs,
        tombstone_dir: &home.join(".cache/session-search"),
        archived: &BTreeMap::new(),
        facts: &FactStore::new(home.join("data")),
        vault: &Vault::new(home.join("data/vault")),
        keep: keep.as_ref(),
        tool_output: true,
        now_ms: i64::MAX / 2,
        waits: false,
        should_stop: &|| false,
        should_stop_copying: &|| false,
        progress: &|_| {},
    };
    let report = pass::run(&mut catalogue, &Effects::apply(), request).unwrap();
    let elapsed = start.elapsed();
    let megabytes = report.progress.bytes_read as f64 / 1e6;
    println!(
        "{} of {} files, {megabytes:.1} MB in {elapsed:?}: {:.0} MB/s; {} problems, finished {}",
        report.progress.files_read,
        report.survey.files.len(),
        megabytes / elapsed.as_secs_f64(),
        report.problems.len(),
        report.finished
    );
}

fn look(home: &Path, query: &str, runs: usize) {
    let catalogue = open(home);
    let vault = Vault::new(home.join("data/vault"));
    let context = SearchContext {
        texts: Texts {
            vault: &vault,
            archives: &[],
        },
        tombstones: &sexton_yard::tombstones::load_tombstones(&home.join(".cache/session-search")).unwrap(),
        facts: &FactStore::new(home.join("data")).load().unwrap(),
        names: &[],
        width: SNIPPET_WIDTH,
    };
    let request = SearchRequest {
        query: Query::parse(query),
        filter: Filter::default(),
        sort: Sort::Relevance,
        view: View::Sessions,
        limit: 20,
        now_ms: sexton_testkit::NOW_MS,
    };
    // The first as in a process of its own, then the best of some.
    let mut times = Vec::new();
    let mut answer = None;
    for _ in 0..runs {
        let start = Instant::now();
        answer = Some(search(&catalogue, context, &request).unwrap());
        times.push(start.elapsed());
    }
    let answer = answer.unwrap();
    println!(
        "`{query}`: {} of {} (exact {}) in {:?}, then {:?}",
        answer.hits.len(),
        answer.total,
        answer.is_exact,
        times[0],
        times.iter().min().unwrap()
    );
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or_default()
        .to_owned()
}
