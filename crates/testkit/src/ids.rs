//! Session ids and project directory names.

/// A session id made from a small number: valid, and told apart by its first eight characters.
pub fn session_id(number: u32) -> String {
    format!("{number:08x}-5e55-4000-8000-{number:012x}")
}

/// The name Claude Code gives the project directory of a working directory.
///
/// Every UTF-16 unit outside `[A-Za-z0-9]` becomes `-`; past 200 characters the first 200 and a base-36 hash. The hash has differed
/// between versions of Claude Code, so that nothing may depend on its value.
pub fn slug(directory: &str) -> String {
    let plain: String = directory
        .encode_utf16()
        .map(|unit| match char::from_u32(u32::from(unit)) {
            Some(character) if character.is_ascii_alphanumeric() => character,
            _ => '-',
        })
        .collect();
    if plain.len() <= 200 {
        return plain;
    }
    let hash = directory
        .encode_utf16()
        .fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    format!("{}-{}", &plain[..200], base36(hash.unsigned_abs()))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap());
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_lossy_and_bounded() {
        assert_eq!(slug("/home/dev/my.app"), "-home-dev-my-app");
        assert_eq!(slug("/a-b"), slug("/a/b"));
        // One character beyond the BMP is two UTF-16 units.
        assert_eq!(slug("/🌲"), "---");
        let long = slug(&"/x".repeat(300));
        assert!(long.len() > 201 && long.len() < 210, "{long}");
    }
}
