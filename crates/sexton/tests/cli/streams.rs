//! Standard streams that are closed, or that nobody reads.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use sexton_testkit::TestEnv;
use sexton_testkit::register::{started, write};

use crate::support::{SEXTON, now_ms, sexton};

#[test]
fn a_closed_stream_is_no_place_for_the_next_file() {
    let env = TestEnv::new();
    // A hook waits for its payload, so that there is time to look.
    let mut hook = env
        .command("sh")
        .args(["-c", r#"exec "$0" hook session-start >&- 2>&-"#, SEXTON])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let stream = |number: u32| fs::read_link(format!("/proc/{}/fd/{number}", hook.id()));
    let began = Instant::now();
    while !(1..=2).all(|number| stream(number).is_ok_and(|place| place.ends_with("null"))) {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "{:?} {:?}",
            stream(1),
            stream(2)
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(hook.stdin.take());
    assert_eq!(hook.wait().unwrap().code(), Some(1), "an empty payload");
}

#[test]
fn a_pipe_that_nobody_reads_ends_nothing_by_a_signal() {
    let env = TestEnv::new();
    for number in 1..=400 {
        let id = sexton_testkit::session_id(number);
        write(&env.register_dir(), &id, &[started(&id, now_ms() - 3_600_000)]);
    }
    let whole = sexton(&env, &["list", "--json"]).stdout.len();
    assert!(whole > 100_000, "{whole} bytes fit into a pipe");
    let mut list = env
        .command(SEXTON)
        .args(["list", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(list.stdout.take());
    let output = list.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}
