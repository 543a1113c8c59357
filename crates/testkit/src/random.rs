//! Seeded random numbers: the same on every machine and in every version of any library.

/// `SplitMix64`: small, fast, good enough to make data look like data.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator that draws the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator for one part of the whole, independent of how many numbers other parts drew.
    pub(crate) fn for_part(seed: u64, part: u64) -> Self {
        let mut random = Self(seed ^ part.wrapping_mul(0xa076_1d64_78bd_642f));
        random.next();
        random
    }

    /// The next number.
    #[expect(
        clippy::should_implement_trait,
        reason = "a generator without end is no iterator to loop over"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let product = u128::from(self.next()) * limit as u128;
        usize::try_from(product >> 64).unwrap()
    }

    /// A number from `low` up to and including `high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// From 0 up to but not including 1.
    pub fn unit(&mut self) -> f64 {
        // 53 bits are what an f64 holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let bits = (self.next() >> 11) as f64;
        bits / 9_007_199_254_740_992.0
    }

    /// An index below `limit` that favours the small ones as words of a language do: half of all draws come from the first eighth.
    pub(crate) fn skewed(&mut self, limit: usize) -> usize {
        let unit = self.unit();
        scaled(unit * unit * unit, limit)
    }

    /// One of `items`, the first ones more often.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.skewed(items.len())]
    }

    /// Log-normal around `median`; `sigma` is the standard deviation of the logarithm.
    pub(crate) fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * self.unit()).cos();
        median * (sigma * normal).exp()
    }
}

/// `limit` times a number from 0 up to but not including 1, rounded down.
fn scaled(unit: f64, limit: usize) -> usize {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "limits are small and the product lies between 0 and the limit"
    )]
    let index = (unit * limit as f64) as usize;
    index.min(limit - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_numbers() {
        let mut random = Random::new(1);
        assert_eq!(
            [random.next(), random.next()],
            [10_451_216_379_200_822_465, 13_757_245_211_066_428_519]
        );
    }

    #[test]
    fn draws_have_the_shape_they_claim() {
        let mut random = Random::new(2);
        let mut small = 0;
        let mut sizes: Vec<f64> = Vec::new();
        for _ in 0..10_000 {
            small += usize::from(random.skewed(800) < 100);
            assert!(random.below(7) < 7 && (3..=5).contains(&random.between(3, 5)));
            sizes.push(random.log_normal(100.0, 1.5));
        }
        assert!((4_800..5_200).contains(&small), "{small}");
        sizes.sort_by(f64::total_cmp);
        assert!((92.0..108.0).contains(&sizes[5_000]), "{}", sizes[5_000]);
    }
}
