//! Which kernel, and which of its pid namespaces, a pid belongs to.

use std::fmt;

/// A machine and pid namespace, in Claude Code's spelling: `linux:<machine-id>:pid:[<inode>]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PidDomain(String);

impl PidDomain {
    /// The domain that `text` names, taken as it stands.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for PidDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The domain of this process, or `None` where the machine doesn't tell (no machine id, no `/proc`).
#[must_use]
pub fn own_pid_domain() -> Option<PidDomain> {
    let machine = std::fs::read_to_string("/etc/machine-id").ok()?;
    let machine = machine.trim();
    let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
    let namespace = namespace.to_str()?;
    (!machine.is_empty()).then(|| PidDomain(format!("linux:{machine}:{namespace}")))
}
