//! Two users who share a directory and write to it at the same time: each keeps what is theirs, and neither takes what is the other's.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use sexton_testkit::{Run, TestEnv, Transcript, TreePicture, register, session_id};

use crate::SEXTON;

/// A session of whose id each has another one.
const COMMON: u32 = 20;

/// Root and nobody, each with a home, and a directory that both may write to.
struct Two {
    mine: TestEnv,
    theirs: TestEnv,
    program: PathBuf,
    shared: tempfile::TempDir,
}

impl Two {
    /// `None` where the test can't become another user.
    fn new() -> Option<Self> {
        let (mine, theirs) = (TestEnv::new(), TestEnv::new());
        let shared = tempfile::tempdir().unwrap();
        open_to_all(shared.path());
        let program = theirs.root().join("bin/sexton");
        assert!(Command::new("cp").arg(SEXTON).arg(&program).status().unwrap().success());
        for (env, words, numbers) in [(&mine, "mine", 1..=5), (&theirs, "theirs", 11..=15)] {
            for number in numbers.chain([COMMON]) {
                Transcript::new(&session_id(number))
                    .conversation(words, "yes")
                    .write(&env.config_dir());
            }
        }
        let two = Self {
            mine,
            theirs,
            program,
            shared,
        };
        let first = two.theirs.run_as_nobody(&two.program, ["list"])?;
        assert_eq!(first.code, Some(0), "{first:#?}");
        Some(two)
    }

    fn shared(&self, name: &str) -> PathBuf {
        let path = self.shared.path().join(name);
        fs::create_dir_all(&path).unwrap();
        open_to_all(&path);
        path
    }

    /// Both run the program on each of their sessions, at the same time; the exit status of each run, by who and which.
    fn race(&self, arguments: impl Fn(&str) -> Vec<String> + Sync) -> BTreeMap<(&'static str, u32), Run> {
        let arguments = &arguments;
        let all = |who: &'static str, first: u32, run: &dyn Fn(Vec<String>) -> Run| {
            let numbers = (first..first + 5).chain([COMMON]);
            let runs = numbers.map(|number| ((who, number), run(arguments(&session_id(number)))));
            runs.collect::<Vec<_>>()
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(move || {
                let run = |arguments| self.theirs.run_as_nobody(&self.program, arguments).unwrap();
                all("theirs", 11, &run)
            });
            let own = all("mine", 1, &|arguments| self.mine.run(SEXTON, arguments));
            own.into_iter().chain(other.join().unwrap()).collect()
        })
    }
}

fn open_to_all(directory: &Path) {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o777)).unwrap();
}

fn sessions(env: &TestEnv) -> TreePicture {
    TreePicture::of(&env.config_dir().join("projects")).without_times()
}

#[test]
fn an_archive_of_two() {
    let Some(two) = Two::new() else {
        eprintln!("skipped: only root can become another user");
        return;
    };
    let archive = two.shared("archive");
    let (mine, theirs) = (sessions(&two.mine), sessions(&two.theirs));
    let within = |command: &str, id: &str| -> Vec<String> {
        let archive = archive.to_str().unwrap();
        [command, id, "--archive-dir", archive].map(str::to_owned).into()
    };

    let runs = two.race(|id| within("archive", id));
    let has = |number: u32| archive.join(format!("{}.jsonl", session_id(number))).exists();
    let done: Vec<_> = runs.iter().filter(|(_, run)| run.code == Some(0)).collect();
    assert_eq!(done.len(), 11, "one of the two that share an id stays: {runs:#?}");
    assert!((1..=5).chain(11..=15).chain([COMMON]).all(has), "{runs:#?}");
    let common = Transcript::new(&session_id(COMMON));
    for (who, env, words) in [("mine", &two.mine, "mine"), ("theirs", &two.theirs, "theirs")] {
        let at_home = fs::read_to_string(common.path(&env.config_dir()));
        let is_archived = runs[&(who, COMMON)].code == Some(0);
        assert_eq!(at_home.is_err(), is_archived, "{runs:#?}");
        assert!(at_home.is_err() || at_home.unwrap().contains(words));
    }

    let runs = two.race(|id| within("restore", id));
    let failed: Vec<_> = runs.iter().filter(|(_, run)| run.code != Some(0)).collect();
    assert!(
        matches!(failed[..], [((_, COMMON), _)]),
        "the other one's session is not theirs: {failed:#?}"
    );
    mine.assert_unchanged(&sessions(&two.mine));
    theirs.assert_unchanged(&sessions(&two.theirs));
    let left = TreePicture::of(&archive);
    assert!(
        !left.paths().any(|path| path.to_string_lossy().contains(".json")),
        "{left}"
    );
}

#[test]
fn a_register_of_two() {
    let Some(two) = Two::new() else {
        eprintln!("skipped: only root can become another user");
        return;
    };
    let directory = two.shared("register");
    let mark = |id: &str| -> Vec<String> {
        let directory = directory.to_str().unwrap();
        ["mark", id, "blocked", "--register-dir", directory]
            .map(str::to_owned)
            .into()
    };
    let mut written: BTreeMap<u32, usize> = BTreeMap::new();
    for _ in 0..3 {
        for ((who, number), run) in two.race(mark) {
            // A register's files are private: the second one at an id is told so.
            assert!(run.code == Some(0) || number == COMMON, "{who} {number}: {run:#?}");
            *written.entry(number).or_default() += usize::from(run.code == Some(0));
        }
    }
    for (number, count) in written {
        let file = register::file(&directory, &session_id(number));
        let events = fs::read_to_string(&file).unwrap();
        let marks = events.lines().filter(|line| line.contains("\"kind\":\"mark\""));
        assert_eq!(marks.count(), count, "{number}: {events}");
        assert!(events.ends_with('\n'), "{events}");
    }
}
