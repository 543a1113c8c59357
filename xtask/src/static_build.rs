//! The static binary: one file that starts faster, since nothing is linked at start.

use std::fs;

use crate::bench::sample::{Program, Series};
use crate::{Result, binary};

/// Builds both, and prints size and start-up of each.
pub(crate) fn run() -> Result<()> {
    let builds = [("dynamic", binary::release()?), ("static", binary::static_release()?)];
    let nothing = Program::new("/bin/true");
    for (name, path) in builds {
        let start = Program::new(&path).argument("--version");
        let (series, floor) = Series::alternating(&start, &nothing, 200)?;
        println!(
            "{name:8} {:>6.1} MB  start {:.2} ms ({:.2} to {:.2}), {:.2} times `/bin/true`  {}",
            megabytes(fs::metadata(&path)?.len()),
            series.median(),
            series.low(),
            series.high(),
            series.median() / floor.median(),
            path.display()
        );
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a size to be read by people")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
