//! Claude Code's live registry: `<config_dir>/sessions/<pid>.json`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::json::{Object, quoted};
use crate::process::LiveProcess;
use crate::time::NOW_MS;

/// One registry file under construction, in the shape that Claude Code 2.1.332 writes.
#[derive(Debug, Clone)]
pub struct RegistryRecord {
    pid: u32,
    members: Vec<(String, String)>,
}

impl RegistryRecord {
    /// The record of a process that runs now: its real pid, start time and pid domain, interactive, status `idle`.
    pub fn of(process: &LiveProcess, session: &str) -> Self {
        let record = Self::with_pid(process.pid(), session).proc_start(&process.start_ticks());
        match process.pid_domain() {
            Some(domain) => record.pid_domain(&domain),
            None => record.without("pidDomain"),
        }
    }

    /// A record that claims any pid; neither its `procStart` nor its `pidDomain` is set.
    pub fn with_pid(pid: u32, session: &str) -> Self {
        let started = NOW_MS - 60_000;
        Self {
            pid,
            members: Vec::new(),
        }
        .raw("pid", &pid.to_string())
        .raw("sessionId", &quoted(session))
        .raw("cwd", &quoted("/home/dev/sample"))
        .raw("startedAt", &started.to_string())
        .raw("version", &quoted("2.1.332"))
        .raw("peerProtocol", "1")
        .raw(
            "peerFeatures",
            r#"["notify_idle","reply_across_default_dirs","artifact_yield"]"#,
        )
        .raw("kind", &quoted("interactive"))
        .raw("entrypoint", &quoted("cli"))
        .raw("asksForConvertedSkills", "null")
        .raw("status", &quoted("idle"))
        .raw("updatedAt", &(started + 80).to_string())
        .raw("statusUpdatedAt", &(started + 80).to_string())
    }

    /// Sets a member to any JSON, in place if it is there, else at the end.
    pub fn raw(mut self, key: &str, json: &str) -> Self {
        match self.members.iter_mut().find(|(name, _)| name == key) {
            Some((_, value)) => json.clone_into(value),
            None => self.members.push((key.to_owned(), json.to_owned())),
        }
        self
    }

    /// Takes a member away.
    pub fn without(mut self, key: &str) -> Self {
        self.members.retain(|(name, _)| name != key);
        self
    }

    /// Sets `procStart`; on Linux the start time in clock ticks since boot.
    pub fn proc_start(self, token: &str) -> Self {
        self.raw("procStart", &quoted(token))
    }

    /// Sets `pidDomain`.
    pub fn pid_domain(self, domain: &str) -> Self {
        self.raw("pidDomain", &quoted(domain))
    }

    /// A `pidDomain` of another machine, whose pids mean nothing here.
    pub fn on_another_machine(self) -> Self {
        self.pid_domain("linux:0123456789abcdef0123456789abcdef:pid:[4026531836]")
    }

    /// Sets `status`: `busy`, `shell`, `idle`, `waiting` or what a later version may write.
    pub fn status(self, status: &str) -> Self {
        self.raw("status", &quoted(status))
    }

    /// Sets `status` to `waiting` and says what for.
    pub fn waiting_for(self, what: &str) -> Self {
        self.status("waiting").raw("waitingFor", &quoted(what))
    }

    /// Sets `name` and `nameSource`.
    pub fn name(self, name: &str, source: &str) -> Self {
        self.raw("name", &quoted(name)).raw("nameSource", &quoted(source))
    }

    /// Sets `cwd`.
    pub fn cwd(self, directory: &str) -> Self {
        self.raw("cwd", &quoted(directory))
    }

    /// Sets `startedAt` in milliseconds since the Unix epoch.
    pub fn started_at(self, ms: i64) -> Self {
        self.raw("startedAt", &ms.to_string())
    }

    /// Sets `kind`: `interactive`, `bg`, `daemon`, `daemon-worker` or what a later version may write.
    pub fn kind(self, kind: &str) -> Self {
        self.raw("kind", &quoted(kind))
    }

    /// Sets `version`.
    pub fn version(self, version: &str) -> Self {
        self.raw("version", &quoted(version))
    }

    /// Marks a pre-warmed helper process, which is no session.
    pub fn spare(self) -> Self {
        self.raw("spare", "true")
    }

    /// The file's text.
    pub fn text(&self) -> String {
        self.members
            .iter()
            .fold(Object::new(), |object, (key, value)| object.raw(key, value))
            .build()
    }

    /// Writes `sessions/<pid>.json`, 0600, and returns its path.
    pub fn write(&self, config_dir: &Path) -> PathBuf {
        let path = config_dir.join("sessions").join(format!("{}.json", self.pid));
        write_private(&path, self.text().as_bytes());
        path
    }

    /// Writes the record and the `.key` file beside it, whose content is a secret that nobody may read; returns both paths.
    pub fn write_with_key(&self, config_dir: &Path) -> (PathBuf, PathBuf) {
        let key = config_dir
            .join("sessions")
            .join(format!("{}.{:064x}.key", self.pid, self.pid));
        write_private(&key, b"a secret of the client\n");
        (self.write(config_dir), key)
    }
}

/// Writes a 0600 file and the directories it needs.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_what_the_client_writes() {
        let scratch = tempfile::tempdir().unwrap();
        let process = LiveProcess::start();
        let record = RegistryRecord::of(&process, "an id")
            .name("büro \t1", "user")
            .waiting_for("permission");
        let (path, key) = record.write_with_key(scratch.path());
        assert!(key.exists());
        let read: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        assert_eq!(read["pid"], process.pid());
        assert_eq!(read["procStart"], process.start_ticks());
        assert_eq!(read["name"], "büro \t1");
        assert_eq!(read["status"], "waiting");
    }
}
