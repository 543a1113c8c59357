//! Words for a shell.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// A word as a shell reads it back.
#[must_use]
pub fn quoted(word: &OsStr) -> OsString {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(byte);
    if !word.is_empty() && word.as_bytes().iter().all(is_plain) {
        return word.to_os_string();
    }
    let mut quoted = OsString::from("'");
    for (index, part) in word.as_bytes().split(|byte| *byte == b'\'').enumerate() {
        if index > 0 {
            quoted.push(r"'\''");
        }
        quoted.push(OsStr::from_bytes(part));
    }
    quoted.push("'");
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for word in [
            "plain/path-1.0",
            "",
            "two words",
            "it's",
            "$HOME `x` \\ \"q\" *",
            "日本",
            "-n",
            "a\nb",
        ] {
            let script = format!("printf %s {}", quoted(word.as_ref()).display());
            let shell = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(shell.stdout).unwrap(), word);
        }
        assert_eq!(quoted("plain/path-1.0".as_ref()), "plain/path-1.0");
    }
}
