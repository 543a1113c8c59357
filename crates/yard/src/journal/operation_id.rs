//! The name of one operation.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A time and something random, such as `20260301T120000.000Z-1a2b3c4d`: sorts by time, and is a file name of the trash.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OperationId(String);

impl OperationId {
    /// An id for an operation that begins at `now_ms`; `random` tells those of one millisecond apart.
    #[must_use]
    pub fn new(now_ms: i64, random: u128) -> Self {
        let time = super::timestamp(now_ms).replace(['-', ':'], "");
        Self(format!("{time}-{:08x}", random & 0xffff_ffff))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
