//! Reading transcripts: their two ends for lists.

use divan::Bencher;
use divan::counter::BytesCount;
use sexton_claude::transcript::summarize_ends;
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
