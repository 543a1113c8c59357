//! The catalogue of bad input: what was seen in the wild and what someone hostile might plant.
//!
//! Each case is planted into an environment that already holds a healthy session, and says what a right answer must still show. None
//! of them may make a command panic, hang, use unbounded memory, or hide the healthy one.

mod files;
mod own;
mod register;
mod registry;
mod tombstones;
mod transcript_files;
mod transcripts;

use std::any::Any;
use std::path::{Path, PathBuf};

use crate::environment::{Run, TestEnv};
use crate::ids::session_id;
use crate::transcript::Transcript;

/// One kind of damage.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// What it is, in a few words.
    pub name: &'static str,
    /// Whether planting or reading it takes seconds in a debug build, or needs hundreds of megabytes of disk.
    pub heavy: bool,
    plant: fn(&mut Planted<'_>),
}

/// How a command that reads must exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: the damage is normal and is only counted.
    Clean,
    /// 3: a file can't be read, is named on standard error, and the rest is shown.
    Partial,
    /// 0 or 3: the documents leave it open.
    Either,
    /// 1, with one clear error that names the file, and nothing on standard output.
    Refused,
    /// 0 or 3 where the file isn't needed, 1 with one clear error where it is.
    Any,
}

/// A session that must be shown whatever else is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its id.
    pub id: String,
    /// A word of its prompt that a search must find, if its transcript has one.
    pub word: Option<&'static str>,
}

/// What was planted, and what a right answer shows.
#[derive(Debug)]
pub struct Planted<'a> {
    /// Sessions that must be shown.
    pub shown: Vec<Shown>,
    /// How `list`, `show`, `search` and `doctor` must exit.
    pub exit: Exit,
    /// The transcript, register or other file that is damaged, if it is one file.
    pub file: Option<PathBuf>,
    /// Bytes that no output may contain, such as what only a file outside holds.
    pub forbidden: Vec<&'static str>,
    env: &'a TestEnv,
    kept: Vec<Box<dyn Any>>,
}

/// Every case, the light ones first.
pub fn catalogue() -> Vec<Case> {
    let mut cases: Vec<Case> = [
        transcripts::CASES,
        transcript_files::CASES,
        files::CASES,
        registry::CASES,
        register::CASES,
        tombstones::CASES,
        own::CASES,
    ]
    .concat();
    cases.sort_by_key(|case| case.heavy);
    cases
}

/// Writes session 1, whole and well, which every case must leave visible; its prompt has the word `healthyneighbour`.
pub fn plant_healthy(env: &TestEnv) {
    Transcript::new(&session_id(1))
        .conversation("the healthyneighbour is here", "so it is")
        .write(&env.config_dir());
}

impl Case {
    const fn new(name: &'static str, plant: fn(&mut Planted<'_>)) -> Self {
        Self {
            name,
            heavy: false,
            plant,
        }
    }

    const fn heavy(name: &'static str, plant: fn(&mut Planted<'_>)) -> Self {
        Self {
            name,
            heavy: true,
            plant,
        }
    }

    /// Plants a healthy session and this damage into `env`, which should be fresh.
    ///
    /// Keep the result while the test runs: some damage is a process or a thread that must go on.
    pub fn plant<'a>(&self, env: &'a TestEnv) -> Planted<'a> {
        let mut planted = Planted {
            shown: Vec::new(),
            exit: Exit::Clean,
            file: None,
            forbidden: Vec::new(),
            env,
            kept: Vec::new(),
        };
        plant_healthy(env);
        planted.must_show(1, Some("healthyneighbour"));
        (self.plant)(&mut planted);
        planted
    }
}

impl Planted<'_> {
    /// Checks a listing of all sessions, finished ones too: the exit code, that each session that must be shown is, and that nothing can drive the terminal.
    #[track_caller]
    pub fn assert_listing(&self, run: &Run) {
        self.assert_exit(run);
        self.assert_harmless(run);
        for shown in &self.shown {
            let short = &shown.id[..8];
            assert!(
                run.stdout.contains(short),
                "`{short}` is hidden:\n{}\n{}",
                run.stdout,
                run.stderr
            );
        }
    }

    /// Checks the exit code of a command that reads everything.
    #[track_caller]
    pub fn assert_exit(&self, run: &Run) {
        let allowed: &[i32] = match self.exit {
            Exit::Clean => &[0],
            Exit::Partial => &[3],
            Exit::Either => &[0, 3],
            Exit::Refused => &[1],
            Exit::Any => &[0, 1, 3],
        };
        let code = run.code.unwrap_or(-1);
        assert!(
            allowed.contains(&code),
            "exit {code}, not {allowed:?}:\n{}\n{}",
            run.stdout,
            run.stderr
        );
        if matches!(self.exit, Exit::Partial | Exit::Refused) {
            let name = self.file.as_deref().and_then(Path::file_name).unwrap_or_default();
            let name = name.to_string_lossy();
            assert!(run.stderr.contains(&*name), "`{name}` isn't named:\n{}", run.stderr);
        }
    }

    /// Checks that the output holds no control character but newlines and tabs, no bidirectional override, and nothing forbidden.
    #[track_caller]
    pub fn assert_harmless(&self, run: &Run) {
        for output in [&run.stdout, &run.stderr] {
            let bad = output.chars().find(|&character| {
                (character.is_control() && !matches!(character, '\n' | '\t'))
                    || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            });
            assert_eq!(bad, None, "{output:?}");
            for words in &self.forbidden {
                assert!(!output.contains(words), "`{words}` was revealed:\n{output}");
            }
        }
    }

    /// Whether something goes on changing files while it is looked at.
    pub fn is_moving(&self) -> bool {
        self.kept.iter().any(|kept| kept.is::<transcript_files::Growing>())
    }

    fn must_show(&mut self, number: u32, word: Option<&'static str>) {
        self.shown.push(Shown {
            id: session_id(number),
            word,
        });
    }

    /// A transcript of session 2 that must be shown, and its search word.
    fn survivor(&mut self) -> Transcript {
        self.must_show(2, Some("survivorword"));
        Transcript::new(&session_id(2)).opening()
    }

    /// Writes session 2's transcript as the damaged file.
    fn write(&mut self, transcript: &Transcript) {
        self.file = Some(transcript.write(&self.env.config_dir()));
    }

    /// Writes a damaged file anywhere.
    fn write_file(&mut self, path: PathBuf, content: impl AsRef<[u8]>) {
        self.env.write(&path, content);
        self.file = Some(path);
    }

    /// The project directory that the healthy session lies in.
    fn project(&self) -> PathBuf {
        let transcript = Transcript::new(&session_id(1)).path(&self.env.config_dir());
        transcript.parent().unwrap().to_path_buf()
    }

    /// Keeps a process, socket or thread for as long as the damage is looked at.
    fn keep(&mut self, what: impl Any) {
        self.kept.push(Box::new(what));
    }
}
