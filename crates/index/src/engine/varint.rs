//! Numbers in as few bytes as they need, seven bits each, the lowest first; the last byte has its high bit clear.

/// Appends `number`.
#[expect(clippy::cast_possible_truncation, reason = "seven bits are what is wanted")]
pub(crate) fn put(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// Takes a number off the front of `bytes`; `None` if they end before it does, or it is too large.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first()?;
    if *first < 0x80 {
        *bytes = rest;
        return Some(u64::from(*first));
    }
    take_long(bytes)
}

fn take_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (index, byte) in bytes.iter().enumerate().take(10) {
        let bits = u64::from(byte & 0x7F);
        // The tenth byte has room for one bit.
        if index == 9 && bits > 1 {
            return None;
        }
        number |= bits << (7 * index);
        if byte & 0x80 == 0 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_put_is_taken(number: u64, shift in 0..64_u32, rest: Vec<u8>) {
            let number = number >> shift;
            let mut bytes = Vec::new();
            put(number, &mut bytes);
            bytes.extend(&rest);
            let mut left = &bytes[..];
            prop_assert_eq!(take(&mut left), Some(number));
            prop_assert_eq!(left, &rest[..]);
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(128_u8.., 0..20)) {
            prop_assert_eq!(take(&mut &bytes[..]), None);
        }
    }
}
