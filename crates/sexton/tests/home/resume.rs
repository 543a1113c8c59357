//! `sexton resume`

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, Transcript, session_id};

use crate::support::{SEXTON, document, sexton, stable};

/// A stand-in for the client that says where and how it was started.
const CLIENT: &str = "#!/bin/sh
echo \"directory $(pwd) $PWD\"
echo \"config ${CLAUDE_CONFIG_DIR-unset}\"
echo \"child ${CLAUDECODE-no}${CLAUDE_CODE_CHILD_SESSION-no}\"
for argument; do echo \"argument <$argument>\"; done
exit 7
";

struct Machine {
    env: TestEnv,
    id: String,
    project: PathBuf,
}

impl Machine {
    /// A machine with a client and a session of a project, written into `config_dir` below home.
    fn with(config_dir: &str) -> Self {
        let env = TestEnv::new();
        env.install_program("claude", CLIENT);
        let project = env.home().join("it's a project");
        fs::create_dir_all(project.join("src")).unwrap();
        let id = session_id(0x1234_5678);
        Transcript::new(&id)
            .cwd(project.to_str().unwrap())
            .conversation("a", "b")
            .write(&env.home().join(config_dir));
        Self { env, id, project }
    }
}

#[test]
fn it_becomes_the_client_where_the_session_lives() {
    let Machine { mut env, id, .. } = Machine::with(".claude");
    // Typed in a terminal of another session.
    env.set("CLAUDECODE", "1").set("CLAUDE_CODE_CHILD_SESSION", "1");
    let run = sexton(&env, &["resume", "12345678", "--", "--model", "opus", "go on"]);
    run.assert_code(7);
    insta::assert_snapshot!(stable(&env, &run.stdout).replace(&id, "ID"), @"
    directory /home/ada/it's a project /home/ada/it's a project
    config unset
    child nono
    argument <--resume>
    argument <ID>
    argument <--model>
    argument <opus>
    argument <go on>
    ");
}

#[test]
fn the_config_directory_is_named_only_where_it_must_be() {
    let Machine { mut env, .. } = Machine::with("work");
    let work = env.home().join("work");
    env.set("CLAUDE_CONFIG_DIR", &work);
    let config = |env: &TestEnv, arguments: &[&str]| {
        let run = sexton(env, &[&["resume", "12345678"], arguments].concat());
        let line = run
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix("config "))
            .map(str::to_owned);
        stable(env, &line.unwrap_or_else(|| panic!("{run:?}")))
    };
    assert_eq!(config(&env, &[]), "/home/ada/work");
    env.unset("CLAUDE_CONFIG_DIR");
    assert_eq!(
        config(&env, &["--config-dir", work.to_str().unwrap()]),
        "/home/ada/work"
    );

    let Machine { mut env, .. } = Machine::with(".claude");
    env.set("CLAUDE_CONFIG_DIR", env.home());
    assert_eq!(config(&env, &[]), "unset");
}

#[test]
fn the_project_counts_and_not_where_its_shell_was_last() {
    let Machine { env, id, project } = Machine::with(".claude");
    // As after a `cd src` in the session's shell.
    let below = project.join("src");
    let transcript = Transcript::new(&id).cwd(project.to_str().unwrap()).prompt("a");
    let path = transcript.path(&env.config_dir());
    transcript.cwd(below.to_str().unwrap()).answer("b").write_to(&path);
    let run = sexton(&env, &["show", "12345678"]);
    assert!(run.stdout.contains("it's a project/src"), "{}", run.stdout);
    let json = document(&sexton(&env, &["resume", "12345678", "--json"]));
    assert_eq!(json["directory"], project.to_str().unwrap());
    fs::remove_dir(&below).unwrap();
    sexton(&env, &["resume", "12345678"]).assert_code(7);
}

#[test]
fn a_directory_that_is_gone_is_said_and_another_one_taken() {
    let Machine { env, id, project } = Machine::with(".claude");
    let moved = env.home().join("moved");
    fs::rename(&project, &moved).unwrap();
    let run = sexton(&env, &["resume", &id]);
    run.assert_code(1);
    insta::assert_snapshot!(stable(&env, &run.stderr).replace(&id, "ID"), @r"
    error: resume the session: its directory `/home/ada/it's a project` is gone

    hint: if it was moved, name where it is now with `--cwd`; `mkdir -p '/home/ada/it'\''s a project'` makes it anew
    ");
    let run = sexton(&env, &["resume", &id, "--cwd", "moved"]);
    run.assert_code(7);
    assert!(
        stable(&env, &run.stdout).starts_with("directory /home/ada/moved /home/ada/moved\n"),
        "{}",
        run.stdout
    );
    let run = sexton(&env, &["resume", &id, "--cwd", "nowhere"]);
    run.assert_code(1);
    assert!(run.stderr.contains("there is no such directory"), "{}", run.stderr);
}

#[test]
fn a_session_that_runs_is_refused_with_its_process() {
    let Machine { env, id, .. } = Machine::with(".claude");
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &id).write(&env.config_dir());
    for arguments in [
        &["resume", "12345678"][..],
        &["resume", "12345678", "--unverified"],
        &["resume", "12345678", "--print"],
    ] {
        let run = sexton(&env, arguments);
        run.assert_code(1);
        assert!(
            run.stderr
                .contains(&format!("it runs already as process {}", process.pid())),
            "{}",
            run.stderr
        );
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn one_that_can_not_be_judged_asks_for_a_word() {
    let Machine { env, id, .. } = Machine::with(".claude");
    let process = LiveProcess::start();
    RegistryRecord::of(&process, &id)
        .pid_domain("linux:0123456789abcdef0123456789abcdef:pid:[1]")
        .write(&env.config_dir());
    let run = sexton(&env, &["resume", "12345678"]);
    run.assert_code(1);
    assert!(run.stderr.contains("`--unverified` goes ahead"), "{}", run.stderr);
    sexton(&env, &["resume", "12345678", "--unverified"]).assert_code(7);
}

#[test]
fn a_pid_that_may_be_anothers_asks_for_a_word_and_names_no_end() {
    let Machine { env, id, .. } = Machine::with(".claude");
    let process = LiveProcess::start();
    // An old client recorded no start time.
    RegistryRecord::with_pid(process.pid(), &id).write(&env.config_dir());
    let run = sexton(&env, &["resume", "12345678"]);
    run.assert_code(1);
    assert!(
        run.stderr.contains(&format!("`ps -fp {}`", process.pid())),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("end the process"), "{}", run.stderr);
    sexton(&env, &["resume", "12345678", "--unverified"]).assert_code(7);
    // To move its files takes the full id, too.
    for (session, code) in [("12345678", 1), (id.as_str(), 0)] {
        let run = sexton(&env, &["archive", session, "--unverified"]);
        run.assert_code(code);
    }
}

#[test]
fn an_archived_one_is_restored_first() {
    let Machine { env, id, .. } = Machine::with(".claude");
    sexton(&env, &["archive", &id]).assert_code(0);
    for arguments in [&["resume", "12345678"][..], &["resume", "12345678", "--print"]] {
        let run = sexton(&env, arguments);
        run.assert_code(1);
        assert!(run.stderr.contains("it was archived"), "{}", run.stderr);
        assert!(run.stderr.contains("`sexton restore 12345678"), "{}", run.stderr);
    }
    sexton(&env, &["restore", &id]).assert_code(0);
    sexton(&env, &["resume", "12345678"]).assert_code(7);
}

#[test]
fn the_printed_command_does_the_same() {
    let Machine { env, id, .. } = Machine::with("work");
    let work = env.home().join("work");
    let arguments = [
        "resume",
        &id,
        "--config-dir",
        work.to_str().unwrap(),
        "--print",
        "--",
        "it's",
        "",
    ];
    let run = sexton(&env, &arguments);
    run.assert_clean();
    insta::assert_snapshot!(stable(&env, &run.stdout).replace(&id, "ID"), @r"cd '/home/ada/it'\''s a project' && CLAUDE_CONFIG_DIR=/home/ada/work /test/bin/claude --resume ID 'it'\''s' ''");
    let mut without = arguments.to_vec();
    without.remove(4);
    let direct = sexton(&env, &without);
    let printed = env.run("sh", ["-c", &run.stdout]);
    assert_eq!((printed.code, printed.stdout), (direct.code, direct.stdout));
}

#[test]
fn what_can_not_be_resumed_says_why() {
    let Machine { env, .. } = Machine::with(".claude");
    fs::remove_file(env.root().join("bin/claude")).unwrap();
    let mut env = env;
    env.set("PATH", env.root().join("bin"));
    let run = sexton(&env, &["resume", "12345678"]);
    run.assert_code(1);
    assert!(run.stderr.contains("find `claude`"), "{}", run.stderr);

    let silent = session_id(2);
    sexton_testkit::register::write(
        &env.register_dir(),
        &silent,
        &[sexton_testkit::register::started(&silent, 0)],
    );
    let run = sexton(&env, &["resume", &silent]);
    run.assert_code(1);
    assert!(run.stderr.contains("it has no transcript"), "{}", run.stderr);
    env.run(SEXTON, ["resume", "no-such-name"]).assert_code(1);
}

#[test]
fn where_it_was_recorded_is_offered_when_where_it_worked_is_gone() {
    let Machine { env, id, project } = Machine::with(".claude");
    let recorded = env.home().join("recorded here");
    fs::create_dir(&recorded).unwrap();
    sexton_testkit::register::write(
        &env.register_dir(),
        &id,
        &[sexton_testkit::register::started(&id, 0).text("cwd", recorded.to_str().unwrap())],
    );
    fs::remove_dir_all(&project).unwrap();
    let run = sexton(&env, &["resume", &id]);
    run.assert_code(1);
    let hint = format!("hint: `sexton resume {id} --cwd '/home/ada/recorded here'` goes on there");
    assert!(stable(&env, &run.stderr).contains(&hint), "{}", run.stderr);
    let run = sexton(&env, &["resume", &id, "--cwd", recorded.to_str().unwrap()]);
    run.assert_code(7);
}

#[test]
fn the_terminal_of_a_session_that_runs_is_named() {
    let Machine { env, id, .. } = Machine::with(".claude");
    let child = env
        .command("script")
        .args(["-qec", "echo $$; exec cat", "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: `script` of util-linux is not installed");
        return;
    };
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let pid: u32 = line.trim().parse().unwrap();
    let start = sexton_sys::process::observe(pid).stat.unwrap().start_ticks;
    RegistryRecord::with_pid(pid, &id)
        .proc_start(&start)
        .write(&env.config_dir());
    let run = sexton(&env, &["resume", &id]);
    run.assert_code(1);
    let sentence = format!("it runs already as process {pid} on /dev/pts/");
    assert!(run.stderr.contains(&sentence), "{}", run.stderr);
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn the_client_is_found_where_its_installers_put_it() {
    let Machine { mut env, id, .. } = Machine::with(".claude");
    let client = env.root().join("bin/claude");
    env.set("PATH", env.root().join("tmp"));
    for place in [".local/bin", ".claude/local"] {
        let installed = env.home().join(place).join("claude");
        fs::create_dir_all(installed.parent().unwrap()).unwrap();
        fs::copy(&client, &installed).unwrap();
        let run = sexton(&env, &["resume", &id, "--print"]);
        run.assert_clean();
        assert!(
            run.stdout.contains(&format!("&& {} --resume", installed.display())),
            "{}",
            run.stdout
        );
        fs::remove_file(&installed).unwrap();
    }
    // What can't be run is passed over.
    env.write(&env.home().join(".local/bin/claude"), "");
    sexton(&env, &["resume", &id, "--print"]).assert_code(1);
}
