//! Reading transcripts: their two ends for lists, all of them for the index, their lines for a filter.

use std::ops::ControlFlow;

use divan::Bencher;
use divan::counter::BytesCount;
use sexton_claude::transcript::{TranscriptReader, count_lines, summarize_ends};
use sexton_testkit::TestEnv;
use sexton_testkit::corpus::Corpus;

fn main() {
    divan::main();
}

/// The ends cost the same however large the file is.
#[divan::bench(args = [50_000, 500_000, 7_000_000])]
fn two_ends(bencher: Bencher<'_, '_>, bytes: u64) {
    let env = TestEnv::new();
    let generated = Corpus::new(1, bytes).generate(&env.home());
    let transcript = &generated.sessions[0].transcript;
    bencher
        .counter(BytesCount::new(generated.bytes.min(128 << 10)))
        .bench_local(|| summarize_ends(transcript).is_ok());
}

/// All of it, as the index reads it.
#[divan::bench(args = [500_000, 7_000_000])]
fn whole(bencher: Bencher<'_, '_>, bytes: u64) {
    let env = TestEnv::new();
    let generated = Corpus::new(1, bytes).generate(&env.home());
    let session = &generated.sessions[0];
    bencher.counter(BytesCount::new(session.bytes)).bench_local(|| {
        let mut reader = TranscriptReader::new();
        let mut items = 0;
        let _ = reader.read_file(&session.transcript, &mut |_| {
            items += 1;
            ControlFlow::Continue(())
        });
        items
    });
}

/// Only its lines.
#[divan::bench(args = [7_000_000])]
fn lines(bencher: Bencher<'_, '_>, bytes: u64) {
    let env = TestEnv::new();
    let generated = Corpus::new(1, bytes).generate(&env.home());
    let session = &generated.sessions[0];
    bencher
        .counter(BytesCount::new(session.bytes))
        .bench_local(|| count_lines(&session.transcript, u64::MAX).is_ok());
}
