//! The catalogue plants what it says.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::collections::BTreeSet;

use sexton_testkit::{TestEnv, damage};

#[test]
fn every_case_has_a_name_of_its_own_and_plants_something() {
    let mut names = BTreeSet::new();
    let healthy = TestEnv::new();
    damage::plant_healthy(&healthy);
    let healthy = healthy.picture().without_times();
    for case in damage::catalogue() {
        assert!(names.insert(case.name), "two cases are named `{}`", case.name);
        if case.heavy {
            continue;
        }
        let env = TestEnv::new();
        let planted = case.plant(&env);
        let picture = env.picture().without_times();
        assert_ne!(picture, healthy, "`{}` planted nothing", case.name);
        if let Some(file) = &planted.file {
            assert!(
                file.symlink_metadata().is_ok(),
                "`{}`: {} isn't there",
                case.name,
                file.display()
            );
        }
    }
    assert!(names.len() > 80, "{}", names.len());
}
