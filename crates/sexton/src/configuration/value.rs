//! The kinds of values, as text in the file and in the environment.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use sexton_yard::filter::{DateReading, read_date};
use toml::de::DeValue;

/// A kind of value.
pub(super) trait Value: Sized {
    /// The value of this TOML, or what was expected instead.
    fn from_toml(value: &DeValue<'_>, home: Option<&Path>) -> Result<Self, String>;

    /// The value of an environment variable; one that can't be used counts as unset.
    fn from_environment(_value: &OsStr) -> Option<Self> {
        None
    }

    /// The value as TOML; `None` if there is none.
    fn to_toml(&self) -> Option<String>;
}

impl Value for PathBuf {
    fn from_toml(value: &DeValue<'_>, home: Option<&Path>) -> Result<Self, String> {
        let expected = "an absolute path, or one that begins with `~/`";
        let text = value.as_str().ok_or_else(|| unexpected(expected, value))?;
        let path = match (text.strip_prefix("~/"), home) {
            (Some(below), Some(home)) => home.join(below),
            _ => Self::from(text),
        };
        if path.is_absolute() {
            Ok(path)
        } else {
            Err(unexpected(expected, value))
        }
    }

    fn from_environment(value: &OsStr) -> Option<Self> {
        Some(Self::from(value)).filter(|path| path.is_absolute())
    }

    fn to_toml(&self) -> Option<String> {
        Some(quoted(&self.to_string_lossy()))
    }
}

impl<T: Value> Value for Option<T> {
    fn from_toml(value: &DeValue<'_>, home: Option<&Path>) -> Result<Self, String> {
        T::from_toml(value, home).map(Some)
    }

    fn from_environment(value: &OsStr) -> Option<Self> {
        T::from_environment(value).map(Some)
    }

    fn to_toml(&self) -> Option<String> {
        self.as_ref().and_then(T::to_toml)
    }
}

impl<T: Value> Value for Vec<T> {
    fn from_toml(value: &DeValue<'_>, home: Option<&Path>) -> Result<Self, String> {
        let elements = value.as_array().ok_or_else(|| unexpected("a list", value))?;
        elements
            .iter()
            .map(|element| T::from_toml(element.get_ref(), home))
            .collect()
    }

    fn to_toml(&self) -> Option<String> {
        let elements: Vec<String> = self.iter().filter_map(T::to_toml).collect();
        Some(format!("[{}]", elements.join(", ")))
    }
}

impl Value for bool {
    fn from_toml(value: &DeValue<'_>, _home: Option<&Path>) -> Result<Self, String> {
        value.as_bool().ok_or_else(|| unexpected("`true` or `false`", value))
    }

    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// Which sessions the vault keeps a copy of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VaultPolicy {
    /// Every session, up to the limit.
    All,
    /// Those that a person named.
    Named,
    /// None.
    Off,
}

impl Value for VaultPolicy {
    fn from_toml(value: &DeValue<'_>, _home: Option<&Path>) -> Result<Self, String> {
        match value.as_str() {
            Some("all") => Ok(Self::All),
            Some("named") => Ok(Self::Named),
            Some("off") => Ok(Self::Off),
            _ => Err(unexpected("`\"all\"`, `\"named\"` or `\"off\"`", value)),
        }
    }

    fn to_toml(&self) -> Option<String> {
        Some(quoted(match self {
            Self::All => "all",
            Self::Named => "named",
            Self::Off => "off",
        }))
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSize(u64);

/// Larger units first, so that a size is shown in the largest that divides it.
const UNITS: [(&str, u64); 8] = [
    ("TiB", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1_000),
];

impl ByteSize {
    pub(super) const fn gib(count: u64) -> Self {
        Self(count << 30)
    }

    /// The number of bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Reads `20 GiB`, `500MB`, or a number of bytes.
    fn parse(text: &str) -> Option<Self> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().ok()?;
        let unit = unit.trim_start();
        if unit.is_empty() || unit == "B" {
            return Some(Self(number));
        }
        let (_, factor) = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
        number.checked_mul(*factor).map(Self)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |(_, factor): &&(&str, u64)| self.0 != 0 && self.0.is_multiple_of(*factor);
        match UNITS.iter().find(fits) {
            Some((name, factor)) => write!(f, "{} {name}", self.0 / factor),
            None => write!(f, "{} B", self.0),
        }
    }
}

impl Value for ByteSize {
    fn from_toml(value: &DeValue<'_>, _home: Option<&Path>) -> Result<Self, String> {
        let size = match value {
            DeValue::String(text) => Self::parse(text),
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok().map(Self),
            _ => None,
        };
        size.ok_or_else(|| unexpected("a size such as `\"20 GiB\"`", value))
    }

    fn to_toml(&self) -> Option<String> {
        Some(quoted(&self.to_string()))
    }
}

/// A length of time as commands take it: `12h`, `30d`, `8w`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Age(String);

impl Age {
    pub(super) fn days(count: u32) -> Self {
        Self(format!("{count}d"))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Value for Age {
    fn from_toml(value: &DeValue<'_>, _home: Option<&Path>) -> Result<Self, String> {
        // Whether a text is an age doesn't depend on the time; late enough that no sensible age leads before the calendar's first year.
        let now_ms = 0;
        let is_age =
            |text: &&str| read_date(text, now_ms, &TimeZone::UTC).is_ok_and(|read| read.reading == DateReading::Age);
        let age = value.as_str().filter(is_age).map(|text| Self(text.to_owned()));
        age.ok_or_else(|| unexpected("an age such as `\"30d\"`", value))
    }

    fn to_toml(&self) -> Option<String> {
        Some(quoted(&self.0))
    }
}

/// A TOML string.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn unexpected(expected: &str, value: &DeValue<'_>) -> String {
    match value.as_str() {
        Some(text) => format!("expected {expected}, found `{text}`"),
        None => format!("expected {expected}, found {}", value.type_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_shown() {
        for (text, bytes, shown) in [
            ("20 GiB", 20 << 30, "20 GiB"),
            ("500MB", 500_000_000, "500 MB"),
            ("1024", 1024, "1 KiB"),
            ("7", 7, "7 B"),
            ("0", 0, "0 B"),
            ("3 tib", 3 << 40, "3 TiB"),
        ] {
            let size = ByteSize::parse(text).unwrap();
            assert_eq!((size.bytes(), size.to_string().as_str()), (bytes, shown));
            assert_eq!(ByteSize::parse(&size.to_string()), Some(size));
        }
        for text in ["", "GiB", "-1", "1.5 GiB", "99999999 TiB", "5 parsecs"] {
            assert_eq!(ByteSize::parse(text), None, "{text}");
        }
    }
}
