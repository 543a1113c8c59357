//! `sexton routine`: the user's word counts more than the rule.

use sexton_testkit::{TestEnv, Transcript, session_id};

use crate::support::{outcomes, sexton, shown};

#[test]
fn a_verdict_holds_until_it_is_taken_back() {
    let env = TestEnv::new();
    let id = session_id(1);
    Transcript::new(&id)
        .prompt("/exit")
        .answer("Goodbye")
        .write(&env.config_dir());
    let is_met = || {
        let run = sexton(&env, &["delete", "--routine", "--dry-run", "--json"]);
        run.assert_code(0);
        !outcomes(&run).is_empty()
    };
    assert_eq!(shown(&env, &id)["routine"], true);
    assert!(is_met());
    let run = sexton(&env, &["routine", &id[..8], "no", "--json"]);
    run.assert_code(0);
    assert_eq!(outcomes(&run), [(id.clone(), "done".to_owned())]);
    assert_eq!(shown(&env, &id)["routine"], false);
    assert!(!is_met(), "a session that was said to matter is met by `--routine`");
    // With a catalogue as without one; and it is no derived fact.
    sexton(&env, &["search", "Goodbye"]).assert_code(0);
    assert_eq!(shown(&env, &id)["routine"], false);
    std::fs::remove_dir_all(env.cache_dir()).unwrap();
    assert_eq!(shown(&env, &id)["routine"], false);
    sexton(&env, &["routine", &id, "auto"]).assert_clean();
    assert_eq!(shown(&env, &id)["routine"], true);
    sexton(&env, &["routine", &id, "maybe"]).assert_code(2);
    sexton(&env, &["routine", "99999999", "no"]).assert_code(1);
}
