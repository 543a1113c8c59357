//! Which segments are merged: from their sizes alone.

use std::ops::Range;

/// A merge must give a segment so many times as large as its largest part: so each message is merged a logarithm of times.
const GROWTH: u64 = 4;

/// One of more messages than this isn't merged for that: the work, and the room it takes meanwhile, grow with its size, and what it costs
/// a question doesn't.
const LARGE: u64 = 16 * 1024;

/// With more segments than this, large ones are merged as well.
const MOST: usize = 32;

/// If nothing else pays, so many are.
const RUN: usize = 8;

/// The neighbours to be merged, of segments with these `sizes`.
pub(super) fn choose(sizes: &[u64]) -> Option<Range<usize>> {
    worthwhile(sizes, LARGE).or_else(|| {
        let is_full = sizes.len() > MOST;
        is_full.then(|| worthwhile(sizes, u64::MAX).or_else(|| cheapest(sizes)))?
    })
}

/// The last neighbours that grow enough by being merged, none of them larger than `largest`.
fn worthwhile(sizes: &[u64], largest: u64) -> Option<Range<usize>> {
    // The newest are the smallest, most often: from there on, as far as it pays.
    (0..sizes.len()).rev().find_map(|start| {
        let (mut most, mut sum, mut best) = (0, 0_u64, None);
        for (index, size) in sizes.iter().enumerate().skip(start) {
            most = most.max(*size);
            sum = sum.saturating_add(*size);
            if index > start && most <= largest && sum >= most.saturating_mul(GROWTH) {
                best = Some(start..index + 1);
            }
        }
        best
    })
}

fn cheapest(sizes: &[u64]) -> Option<Range<usize>> {
    let sum = |run: &[u64]| run.iter().fold(0_u64, |sum, size| sum.saturating_add(*size));
    let runs = sizes.windows(RUN).enumerate();
    let (start, _) = runs.min_by_key(|(_, run)| sum(run))?;
    Some(start..start + RUN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worth_a_merge() {
        for (sizes, expected) in [
            (&[][..], None),
            (&[5], None),
            (&[1, 1, 1], None),
            (&[1, 1, 1, 1], Some(0..4)),
            (&[100, 1, 1, 1], None),
            (&[100, 1, 1, 1, 1], Some(1..5)),
            (&[100, 4, 4, 4, 1, 1, 1, 1], Some(4..8)),
            (&[100, 4, 4, 4, 4], Some(1..5)),
            (&[100, 3, 9, 100], None),
            (&[LARGE; 4], Some(0..4)),
            (&[LARGE + 1; MOST], None),
            (&[LARGE + 1; MOST + 1], Some(MOST - 3..MOST + 1)),
        ] {
            assert_eq!(choose(sizes), expected, "{sizes:?}");
        }
    }

    /// Appends segments of the sizes that `next` gives; the count and how often a message was merged stay small.
    fn grow(appends: u64, next: impl Fn(u64) -> u64) -> (usize, u64) {
        let (mut sizes, mut merged, mut total, mut most) = (Vec::new(), 0, 0, 0);
        for index in 0..appends {
            sizes.push(next(index));
            total += next(index);
            while let Some(range) = choose(&sizes) {
                let sum = sizes[range.clone()].iter().sum();
                merged += sum;
                sizes.splice(range, [sum]);
            }
            most = most.max(sizes.len());
        }
        (most, merged / total)
    }

    #[test]
    fn segments_stay_few_and_merges_rare() {
        for (what, (most, merged)) in [
            ("one at a time", grow(100_000, |_| 1)),
            (
                "now and then much",
                grow(20_000, |index| if index % 50 == 0 { 3000 } else { 1 }),
            ),
            ("all sizes", grow(20_000, |index| 1 + (index * 7919) % 997)),
            ("ever less", grow(2_000, |index| 1_000_000 / (index + 1) + 1)),
        ] {
            assert!(
                most <= MOST && merged <= 12,
                "{what}: {most} segments, each message merged {merged} times"
            );
        }
    }
}
