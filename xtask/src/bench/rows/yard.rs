//! Putting many sessions away, against the renames and syncs that it can't do without.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::bench::figures::{Limit, Row, why_not};
use crate::bench::sample::Series;
use crate::bench::{Bench, Rows, fresh};
use crate::{Result, corpus};

/// The number that the limit speaks of.
const SESSIONS: usize = 1_000;

pub(super) fn measure(bench: &Bench) -> Rows {
    Ok(vec![put_away(bench, "delete")?, put_away(bench, "archive")?])
}

/// Everything at once, then back again unmeasured, as often as it is measured.
fn put_away(bench: &Bench, name: &str) -> Result<Row> {
    let home = fresh(&format!("yard-{name}"))?;
    corpus::generate(&home, SESSIONS, 20_000_000)?;
    let subject = match name {
        "delete" => bench
            .sexton(&home)
            .arguments(["delete", "--before", "2099-01-01", "--yes", "--yes-most"]),
        _ => bench.sexton(&home).argument(name).arguments(ids(&home)?),
    };
    let moved = home.join("floor");
    fs::create_dir_all(moved.join("a"))?;
    for number in 0..SESSIONS {
        fs::write(moved.join("a").join(number.to_string()), "")?;
    }
    let floor = Bench::floor(&[
        OsStr::new("rename"),
        moved.join("a").as_os_str(),
        moved.join("b").as_os_str(),
    ])?;
    let undo = bench.sexton(&home).argument("undo");
    let limit = Limit::TimesFloor(4.0);
    let title = format!("{name} of {SESSIONS} sessions");
    if let Some(reason) = why_not(&subject, |output| !output.is_empty())? {
        return Ok(Row::without(title, &subject, limit, reason));
    }
    let (mut ours, mut theirs) = (Series::empty(), Series::empty());
    for _ in 0..3 {
        if let Some(reason) = why_not(&undo, |_| true)? {
            return Ok(Row::without(
                title,
                &subject,
                limit,
                format!("it can't be undone: {reason}"),
            ));
        }
        ours.add(subject.sample()?);
        theirs.add(floor.sample()?);
    }
    Ok(Row::of(
        title,
        &subject,
        &ours,
        Some(("one rename and two syncs a session", &theirs)),
        limit,
    ))
}

/// The ids of all sessions in a home.
fn ids(home: &Path) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for project in fs::read_dir(home.join(".claude/projects"))? {
        for entry in fs::read_dir(project?.path())? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            ids.extend(name.strip_suffix(".jsonl").map(str::to_owned));
        }
    }
    Ok(ids)
}
