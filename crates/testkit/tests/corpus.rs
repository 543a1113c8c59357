//! The generated corpus is what it claims to be.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fs;

use sexton_testkit::corpus::{Corpus, needles};
use sexton_testkit::{TestEnv, TreePicture};

#[test]
fn one_seed_gives_one_corpus() {
    let (a, b, c) = (TestEnv::new(), TestEnv::new(), TestEnv::new());
    // The register's lines hold the path of the home, so that only what is below `.claude` can be equal.
    for (env, seed) in [(&a, 7), (&b, 7), (&c, 8)] {
        Corpus::new(30, 400_000).seed(seed).generate(&env.home());
    }
    let picture = |env: &TestEnv| TreePicture::of(&env.config_dir().join("projects"));
    let files = |env: &TestEnv| {
        picture(env)
            .to_string()
            .lines()
            .filter(|line| line.contains(" bytes "))
            .count()
    };
    assert!(files(&a) >= 30);
    let contents = |env: &TestEnv| -> Vec<String> {
        // Directories have the time at which they were written.
        picture(env)
            .to_string()
            .lines()
            .filter(|line| line.contains(" bytes "))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(contents(&a), contents(&b));
    assert_ne!(contents(&a), contents(&c));
}

#[test]
fn every_line_is_json_and_every_session_has_its_needles() {
    let env = TestEnv::new();
    let generated = Corpus::new(101, 2_000_000).generate(&env.home());
    let mut with_rare = 0;
    for (number, session) in generated.sessions.iter().enumerate() {
        let text = fs::read_to_string(&session.transcript).unwrap();
        assert_eq!(text.len() as u64, session.bytes);
        assert!(text.ends_with('\n'));
        let records: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(records.iter().any(|record| record["cwd"] == session.cwd.as_str()));
        assert!(records.iter().any(|record| record["type"] == "assistant"));
        with_rare += usize::from(text.contains(needles::RARE));
        assert_eq!(text.contains(needles::UNCOMMON), number % 100 == 0);
        let modified = sexton_sys::FileTime::modified(&fs::metadata(&session.transcript).unwrap());
        assert_eq!(modified.as_ms(), session.last_ms);
    }
    assert_eq!(with_rare, 1);
}

#[test]
fn sizes_have_the_shape_of_a_real_machine() {
    let env = TestEnv::new();
    let generated = Corpus::new(400, 20_000_000).generate(&env.home());
    assert!(
        (17_000_000..28_000_000).contains(&generated.bytes),
        "{}",
        generated.bytes
    );
    let mut sizes: Vec<u64> = generated.sessions.iter().map(|session| session.bytes).collect();
    sizes.sort_unstable();
    let (median, high) = (sizes[200], sizes[380]);
    // 528 KiB against 6.9 MiB on the measured machine, a ratio of 13.
    assert!(
        (7..20).contains(&(high / median)),
        "median {median}, 95th percentile {high}"
    );
    assert!(generated.subagents > 100, "{}", generated.subagents);
    assert_eq!(generated.tombstoned.len(), 20);
    let registered = fs::read_dir(env.register_dir()).unwrap().count();
    assert!(
        (340..380).contains(&registered),
        "{registered} of 400 are in the register"
    );
}
