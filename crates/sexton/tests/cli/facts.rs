//! Files of facts that can't be understood: everything else is told, and what to do about them.

use std::fs;

use sexton_testkit::{Run, TestEnv, Transcript, session_id};

use crate::support::{document, sexton};

const FILES: [&str; 5] = [
    "missing.json",
    "remembered.json",
    "routine.json",
    "kept.json",
    "dropped.json",
];

fn machine() -> (TestEnv, String) {
    let env = TestEnv::new();
    let id = session_id(1);
    Transcript::new(&id)
        .conversation("a question about graves", "an answer")
        .write(&env.config_dir());
    sexton(&env, &["list"]).assert_code(0);
    (env, id)
}

/// Exit status 3, and one error, which names the file and says what to do.
#[track_caller]
fn assert_told(run: &Run, file: &str) {
    run.assert_code(3);
    let errors: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error:")).collect();
    assert_eq!(errors.len(), 1, "{run:#?}");
    assert!(
        errors[0].contains(file) && errors[0].contains("move it away"),
        "{run:#?}"
    );
}

#[test]
fn looks_answer_all_the_same() {
    for file in FILES {
        let (env, id) = machine();
        env.write(&env.data_dir().join(file), "{\"version\":1,");
        for (look, expected) in [
            (&["show", &id][..], "/home/dev/sample"),
            (&["read", &id], "an answer"),
            (&["list", "--all"], &id[..8]),
            (&["search", "graves"], "graves"),
            (&["search", "--substring", "graves"], "graves"),
        ] {
            let run = sexton(&env, look);
            assert_told(&run, file);
            assert!(run.stdout.contains(expected), "{look:?}: {run:#?}");
        }
    }
}

#[test]
fn what_would_change_them_says_what_to_do_first() {
    for file in FILES {
        let (env, id) = machine();
        let path = env.data_dir().join(file);
        env.write(&path, "{\"version\":1,");
        for change in [&["routine", &id, "yes"][..], &["keep", "add", &id]] {
            let run = sexton(&env, change);
            run.assert_code(3);
            assert!(
                run.stderr.contains(file) && run.stderr.contains("hint: mend the file"),
                "{run:#?}"
            );
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"version\":1,");
    }
}

#[test]
fn the_command_that_doctor_names_moves_one_away() {
    let (env, id) = machine();
    for file in FILES {
        env.write(&env.data_dir().join(file), "{\"version\":1,");
    }
    let json = document(&sexton(&env, &["doctor", "--json"]));
    let commands = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["check"] == "catalogue")
        .map(|finding| finding["command"].as_str().unwrap().to_owned());
    let commands: Vec<String> = commands.collect();
    assert_eq!(commands.len(), FILES.len(), "{json:#}");
    for command in commands {
        env.run("sh", ["-c", &command]).assert_code(0);
    }
    sexton(&env, &["show", &id]).assert_clean();
    for file in FILES {
        assert!(env.data_dir().join(format!("{file}.damaged")).exists());
    }
}
