//! Which segments are merged: from their sizes alone.

use std::ops::Range;

/// A merge must give a segment so many times as large as its largest part: so each message is merged a logarithm of times.
const GROWTH: u64 = 4;

/// With more segments than this, some are merged even so.
const MOST: usize = 32;

/// So many are merged then.
const RUN: usize = 8;

/// The neighbours to be merged, of segments with these `sizes`.
pub(super) fn choose(sizes: &[u64]) -> Option<Range<usize>> {
    // The newest are the smallest, most often: from there on, as far as it pays.
    for start in (0..sizes.len()).rev() {
        let (mut largest, mut sum, mut best) = (0, 0_u64, None);
        for (index, size) in sizes.iter().enumerate().skip(start) {
            largest = largest.max(*size);
            sum = sum.saturating_add(*size);
            if index > start && sum >= largest.saturating_mul(GROWTH) {
                best = Some(start..index + 1);
            }
        }
        if best.is_some() {
            return best;
        }
    }
    if sizes.len() <= MOST {
        return None;
    }
    // The cheapest run.
    (0..=sizes.len() - RUN)
        .min_by_key(|start| {
            sizes[*start..start + RUN]
                .iter()
                .fold(0_u64, |sum, size| sum.saturating_add(*size))
        })
        .map(|start| start..start + RUN)
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
