//! How many bytes.

/// `bytes` in powers of 1024, in at most six characters: `0`, `999`, `1.5K`, `24M`, `3.2G`.
#[must_use]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["K", "M", "G", "T", "P", "E"];
    if bytes < 1000 {
        return bytes.to_string();
    }
    // Tenths of the unit at hand, in integers: a size is not worth a rounding error.
    let mut tenths = u128::from(bytes) * 10 / 1024;
    let mut unit = 0;
    while tenths >= 9995 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    if tenths < 100 {
        format!("{}.{}{}", tenths / 10, tenths % 10, UNITS[unit])
    } else {
        format!("{}{}", tenths.div_ceil(10), UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, shown) in [
            (0, "0"),
            (999, "999"),
            (1000, "0.9K"),
            (1536, "1.5K"),
            (24 << 20, "24M"),
            (999 << 20, "999M"),
            (1 << 30, "1.0G"),
        ] {
            assert_eq!(size(bytes), shown);
        }
        assert!(size(u64::MAX).len() <= 6);
    }
}
