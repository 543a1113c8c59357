//! Paths for people.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::text::visible;

/// `path` safe to look at, with `home` at its front as `~`; bytes that are not UTF-8 are shown as `\xff`.
#[must_use]
pub fn short_path(path: &Path, home: Option<&Path>) -> String {
    if let Some(home) = home
        && let Ok(below) = path.strip_prefix(home)
    {
        if below.as_os_str().is_empty() {
            return "~".to_owned();
        }
        return format!("~/{}", safe(below));
    }
    safe(path)
}

/// `path` safe to look at, whole.
#[must_use]
pub fn safe(path: &Path) -> String {
    let mut shown = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        shown.push_str(&visible(chunk.valid()));
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn home_is_a_tilde_only_as_a_whole_component() {
        let home = Some(Path::new("/home/ann"));
        assert_eq!(short_path(Path::new("/home/ann/work"), home), "~/work");
        assert_eq!(short_path(Path::new("/home/ann"), home), "~");
        assert_eq!(short_path(Path::new("/home/anna"), home), "/home/anna");
        assert_eq!(short_path(Path::new("/srv"), None), "/srv");
    }

    #[test]
    fn bytes_and_controls_are_seen() {
        let path = Path::new(OsStr::from_bytes(b"/tmp/\xff\x1b"));
        assert_eq!(safe(path), "/tmp/\\xff␛");
    }
}
