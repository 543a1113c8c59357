//! Building the sample machine and taking it down.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use sexton_register::{
    Draft, Ended, EntryPoint, Event, LifecycleError, Mark, Named, Outcome, SessionId, Source, Stamps, Started, Text,
    append_event, now_timestamp,
};
use sexton_sys::process::{observe, own_pid_domain};
use sexton_sys::{Clock, Durability, EffectError, Effects, Environment, FileTime};

use super::client::Client;
use super::transcript::transcript;
use super::{Fate, STORIES, Story};

/// The client version that the sample sessions say they ran.
const VERSION: &str = "2.1.332";

/// The sample machine could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// A temporary directory or a process could not be made.
    #[error("set up the sample machine: {0}")]
    Io(#[from] io::Error),
    /// A file could not be written.
    #[error("set up the sample machine: {0}")]
    Effect(#[from] EffectError),
    /// A register file could not be written.
    #[error("set up the sample machine: {0}")]
    Register(#[from] LifecycleError),
}

/// A throw-away home with sessions in it; dropping it ends its processes and removes it.
#[derive(Debug)]
pub struct SampleMachine {
    clients: Vec<Client>,
    program: PathBuf,
    home: tempfile::TempDir,
}

impl Drop for SampleMachine {
    fn drop(&mut self) {
        self.clients.clear();
        // A thread that still looks at the machine can make a file between two steps of the removal, which then fails; it has nothing
        // to look at any more a moment later.
        for _ in 0..50 {
            #[expect(
                clippy::disallowed_methods,
                reason = "the whole tree is the demo's own, made a moment ago"
            )]
            let removed = std::fs::remove_dir_all(self.home());
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => std::thread::sleep(Duration::from_millis(20)),
                _ => return,
            }
        }
    }
}

impl SampleMachine {
    /// Builds the machine as it is at `clock`'s time; `program` is run as the clients.
    pub fn build(program: &Path, clock: &dyn Clock) -> Result<Self, MachineError> {
        let home = tempfile::Builder::new().prefix("sexton-demo-").tempdir()?;
        let mut machine = Self {
            clients: Vec::new(),
            program: program.to_path_buf(),
            home,
        };
        for (number, story) in STORIES.iter().enumerate() {
            machine.tell(number, story, clock)?;
        }
        Ok(machine)
    }

    /// The sample home directory.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The environment of a person who sits at the sample machine: `of` the real one only what concerns the terminal, and this program first
    /// on `PATH`.
    #[must_use]
    pub fn environment(&self, of: &Environment) -> Environment {
        let terminal = ["TERM", "NO_COLOR", "COLORTERM", "LANG", "LC_ALL", "TZ"];
        let kept = terminal
            .into_iter()
            .filter_map(|name| Some((name.into(), of.get(name)?.to_owned())));
        let own = [
            ("HOME".into(), self.home().as_os_str().to_owned()),
            ("PATH".into(), self.path(of)),
        ];
        Environment::from_variables::<OsString, _>(kept.chain(own)).with_current_directory(self.home())
    }

    /// `$PATH` with the directory of this program before all others.
    fn path(&self, of: &Environment) -> OsString {
        let path = of.get("PATH").map(OsStr::to_owned).unwrap_or_default();
        let directories = self.program.parent().map(Path::to_path_buf).into_iter();
        // A directory with a colon in its name can't be on a path.
        std::env::join_paths(directories.chain(std::env::split_paths(&path))).unwrap_or(path)
    }

    /// The id of sample session `number`.
    #[must_use]
    pub fn session(number: usize) -> SessionId {
        // Odd constants of splitmix64, so that ids look as varied as real ones and are the same in every demo.
        let seed = (number as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        SessionId::from_u128(seed ^ (seed >> 64).wrapping_mul(0xbf58_476d_1ce4_e5b9))
    }

    fn config_dir(&self) -> PathBuf {
        self.home().join(".claude")
    }

    fn tell(&mut self, number: usize, story: &Story, clock: &dyn Clock) -> Result<(), MachineError> {
        let effects = Effects::apply();
        let session = Self::session(number);
        let now_ms = clock.now_ms();
        let last_ms = now_ms - story.minutes_ago * 60_000;
        let cwd = self.home().join(story.directory);
        effects.create_directory(&cwd)?;
        let cwd = cwd.to_string_lossy().into_owned();

        let project = self.config_dir().join("projects").join(slug(&cwd));
        let path = project.join(format!("{session}.jsonl"));
        effects.create_directory(&project)?;
        if !story.talk.is_empty() {
            effects.append(
                &path,
                transcript(story, session, &cwd, VERSION, now_ms).as_bytes(),
                Durability::Buffered,
            )?;
            effects.set_modified(&path, FileTime::from_ms(last_ms))?;
        }

        let pid = self.run(number, story, &cwd, last_ms)?;
        let began_ms = if story.fate == Fate::Starts {
            now_ms - 3_000
        } else {
            last_ms - 30 * 60_000
        };
        self.record(story, session, &cwd, &path, pid, (began_ms, last_ms), clock)
    }

    /// Starts the session's client, if it has one, and writes its registry file.
    fn run(&mut self, number: usize, story: &Story, cwd: &str, last_ms: i64) -> Result<Option<u32>, MachineError> {
        let (status, waiting_for) = match story.fate {
            Fate::Runs(status) => (Some(status), None),
            Fate::Waits(what) => (Some("waiting"), Some(what)),
            Fate::RunsUnverified | Fate::Crashed => (None, None),
            _ => return Ok(None),
        };
        let client = Client::start(&self.program)?;
        let pid = client.pid();
        let token = observe(pid)
            .stat
            .map(|stat| stat.start_ticks)
            .filter(|_| story.fate != Fate::RunsUnverified);
        let mut record = json!({"pid": pid, "sessionId": Self::session(number).to_string(), "cwd": cwd, "startedAt": last_ms - 1_800_000,
            "procStart": token, "version": VERSION, "kind": "interactive", "entrypoint": "cli",
            "pidDomain": own_pid_domain().map(|domain| domain.to_string()), "status": status, "waitingFor": waiting_for});
        if let (Some(name), Some(record)) = (story.name, record.as_object_mut()) {
            record.insert("name".to_owned(), name.into());
            record.insert("nameSource".to_owned(), "user".into());
        }
        let sessions = self.config_dir().join("sessions");
        let effects = Effects::apply();
        effects.create_directory(&sessions)?;
        effects.create_file(&sessions.join(format!("{pid}.json")), record.to_string().as_bytes())?;
        if story.fate == Fate::Crashed {
            client.crash()?;
        } else {
            self.clients.push(client);
        }
        Ok(Some(pid))
    }

    /// Writes what the hooks and the person would have written into the register.
    #[expect(clippy::too_many_arguments, reason = "the facts of one story, used once")]
    fn record(
        &self,
        story: &Story,
        session: SessionId,
        cwd: &str,
        transcript: &Path,
        pid: Option<u32>,
        (began_ms, last_ms): (i64, i64),
        clock: &dyn Clock,
    ) -> Result<(), MachineError> {
        if story.fate == Fate::OnlyTranscript {
            return Ok(());
        }
        let register = self.home().join(".claudewheel/shared/lifecycle");
        let (effects, stamps) = (Effects::apply(), Stamps::new(clock));
        let write = |source, at_ms, kind: sexton_register::EventKind| -> Result<Event, LifecycleError> {
            let draft = Draft {
                at: Some(now_timestamp(at_ms)),
                ..Draft::new(session, source, kind)
            };
            append_event(&effects, &register, draft, &stamps)
        };
        let (Some(cwd), Some(config_dir)) = (Text::new(cwd), Text::new(self.config_dir().to_string_lossy())) else {
            return Ok(());
        };
        let started = Started {
            cwd,
            config_dir,
            profile: None,
            claude_version: Text::new(VERSION),
            model: Text::new(story.model),
            permissions: None,
            entry: EntryPoint::Startup,
            transcript: Text::new(transcript.to_string_lossy()),
            pid: pid.map(i64::from),
        };
        write(Source::Hook, began_ms, started.into())?;
        if let Some(name) = story.name.and_then(Text::new) {
            write(
                Source::Hook,
                began_ms,
                Named {
                    name,
                    name_source: Text::new("user"),
                }
                .into(),
            )?;
        }
        let exited = Ended {
            outcome: Outcome::Exited,
            reason: Text::new("prompt_input_exit"),
            detail: None,
        };
        match story.fate {
            Fate::Exited => drop(write(Source::Hook, last_ms, exited.into())?),
            Fate::Marked(state, note) => {
                write(Source::Hook, last_ms, exited.into())?;
                write(
                    Source::User,
                    last_ms + 60_000,
                    Mark {
                        state: Some(state),
                        note: Text::new(note),
                    }
                    .into(),
                )?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// The directory of a working directory's transcripts, as Claude Code names it.
fn slug(cwd: &str) -> String {
    cwd.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}
