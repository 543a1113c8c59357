//! The register: a strict load against reading the same bytes.

use std::ffi::OsStr;

use sexton_testkit::{NOW_MS, register, session_id};

use crate::bench::figures::{Limit, Row};
use crate::bench::{Bench, Rows, fresh};

/// The number that the limit speaks of; small enough for every run.
const FILES: u32 = 10_000;

pub(super) fn measure(bench: &Bench) -> Rows {
    let home = fresh("register")?;
    let directory = home.join(".claudewheel/shared/lifecycle");
    for number in 0..FILES {
        let id = session_id(number);
        let at = NOW_MS - i64::from(number) * 60_000;
        let events = [
            register::started(&id, at),
            register::named(&id, at + 1_000, "sample-8f"),
            register::ended(&id, at + 50_000, "exited"),
        ];
        register::write(&directory, &id, &events);
    }
    let subject = bench.sexton(&home).arguments(["register", "load", "--strict"]);
    let floor = Bench::floor(&[OsStr::new("read"), directory.as_os_str()])?;
    let row = Row::measure(
        format!("strict load of {FILES} register files"),
        &subject,
        ("reading their bytes", &floor),
        Limit::TimesFloor(2.0),
        bench.runs,
        |output| output.lines().count() == FILES as usize,
    )?;
    Ok(vec![row])
}
