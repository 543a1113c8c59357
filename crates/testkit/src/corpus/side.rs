//! What lies beside generated transcripts: register files, side files, tombstones.

use std::path::Path;

use super::plan::{Ending, SessionPlan, uuid};
use crate::random::Random;
use crate::register::{self, EventLine, ended, mark, named, started};
use crate::registry::write_private;

/// Writes a session's register file and, for some, files that belong to its footprint.
pub(super) fn write(home: &Path, plan: &SessionPlan, transcript: &Path, last_ms: i64, random: &mut Random) {
    if plan.ending != Ending::Unregistered {
        let register_dir = home.join(".claudewheel/shared/lifecycle");
        register::write(
            &register_dir,
            &plan.id,
            &events(home, plan, transcript, last_ms, random),
        );
    }
    let config = home.join(".claude");
    if random.percent(30) {
        let name = format!("file-history/{}/{:016x}@v1", plan.id, random.next());
        write_private(&config.join(name), b"fn main() {}\n");
    }
    if random.percent(10) {
        write_private(&config.join(format!("todos/{0}-agent-{0}.json", plan.id)), b"[]");
    }
}

/// One to three runs, each with its start; a name; the last run's end; for some a mark.
fn events(home: &Path, plan: &SessionPlan, transcript: &Path, last_ms: i64, random: &mut Random) -> Vec<EventLine> {
    let id = &plan.id;
    let runs = if random.percent(15) { random.between(2, 3) } else { 1 };
    let span = (last_ms - plan.started_ms) / i64::try_from(runs).unwrap();
    let mut events = Vec::new();
    for run in 0..i64::try_from(runs).unwrap() {
        let at = plan.started_ms + run * span;
        let event = started(id, at)
            .text("cwd", &plan.cwd)
            .text("config_dir", home.join(".claude").to_str().unwrap())
            .text("transcript", transcript.to_str().unwrap())
            .text("entry", if run == 0 { "startup" } else { "resume" })
            .raw("pid", &random.between(1_000, 4_000_000).to_string());
        events.push(event);
        if run == 0 {
            let directory = plan.cwd.rsplit('/').next().unwrap();
            events.push(named(id, at + 1_000, &format!("{directory}-{:02x}", random.below(256))));
        }
        if run + 1 < i64::try_from(runs).unwrap() {
            events.push(ended(id, at + span - 1, "exited"));
        }
    }
    match plan.ending {
        Ending::Crashed => events.push(ended(id, last_ms + 500, "crashed").text("source", "sweep")),
        _ => events.push(ended(id, last_ms + 500, "exited")),
    }
    let state = match plan.ending {
        Ending::OnHold => "on-hold",
        Ending::Blocked => "blocked",
        Ending::Done => "done",
        _ => return events,
    };
    events.push(mark(id, last_ms + 60_000, Some(state)));
    events
}

/// Writes the tombstones of `count` sessions that are gone, and returns their ids.
pub(super) fn write_tombstones(home: &Path, seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::for_part(seed, 1 << 62);
    let ids: Vec<String> = (0..count).map(|_| uuid(&mut random)).collect();
    if count > 0 {
        let text = ids.join("\n") + "\n";
        write_private(&home.join(".cache/session-search/.deleted"), text.as_bytes());
    }
    ids
}
