//! The liveness check: deciding, and looking at a process first.

use divan::{Bencher, black_box};
use sexton_claude::registry::{judge, observe, read_record};
use sexton_sys::process::{self, own_pid_domain};
use sexton_testkit::{LiveProcess, RegistryRecord, TestEnv, session_id};

fn main() {
    divan::main();
}

#[divan::bench]
fn decide(bencher: Bencher<'_, '_>) {
    let (env, process) = (TestEnv::new(), LiveProcess::start());
    let path = RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
    let Ok(record) = read_record(&path) else { return };
    let (facts, own) = (process::observe(record.pid), own_pid_domain());
    bencher.bench_local(|| judge(black_box(&record), black_box(&facts), black_box(own.as_ref())));
}

#[divan::bench]
fn look_and_decide(bencher: Bencher<'_, '_>) {
    let (env, process) = (TestEnv::new(), LiveProcess::start());
    let path = RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
    let Ok(record) = read_record(&path) else { return };
    let own = own_pid_domain();
    bencher.bench_local(|| observe(black_box(&record), own.as_ref()));
}

#[divan::bench]
fn read_a_registry_file(bencher: Bencher<'_, '_>) {
    let (env, process) = (TestEnv::new(), LiveProcess::start());
    let path = RegistryRecord::of(&process, &session_id(1)).write(&env.config_dir());
    bencher.bench_local(|| read_record(black_box(&path)).is_ok());
}
