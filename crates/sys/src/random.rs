//! Randomness for ids and temporary names.

use std::io;

/// 128 random bits from the kernel.
pub fn random_u128() -> io::Result<u128> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(u128::from_ne_bytes(bytes))
}
