//! What to generate: how large each session is, where and when it happened, how it ended.

use super::Corpus;
use super::vocabulary::identifier;
use super::words::NOUNS;
use crate::random::Random;

const DAY_MS: i64 = 86_400_000;

/// One session to come.
#[derive(Debug, Clone)]
pub(super) struct SessionPlan {
    pub(super) number: usize,
    pub(super) id: String,
    pub(super) cwd: String,
    pub(super) bytes: u64,
    pub(super) subagents: usize,
    pub(super) started_ms: i64,
    pub(super) ending: Ending,
    pub(super) speaks_cjk: bool,
}

/// How a session stands in the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Exited,
    Crashed,
    OnHold,
    Blocked,
    Done,
    /// Known by its transcript alone: it ran before the hooks were installed.
    Unregistered,
}

/// Draws every session of a corpus.
pub(super) fn draw(corpus: &Corpus) -> Vec<SessionPlan> {
    let mut random = Random::for_part(corpus.seed, 1 << 61);
    let projects = projects(corpus.sessions, &mut random);
    let bytes = sizes(corpus, &mut random);
    let projects: Vec<&str> = projects.iter().map(String::as_str).collect();
    (0..corpus.sessions)
        .map(|number| SessionPlan {
            number,
            id: uuid(&mut random),
            cwd: random.pick(&projects).to_owned(),
            bytes: bytes[number],
            subagents: if random.percent(20) { random.between(1, 6) } else { 0 },
            started_ms: started(corpus, &mut random),
            ending: ending(&mut random),
            speaks_cjk: random.percent(5),
        })
        .collect()
}

/// A random version 4 UUID in lowercase.
pub(super) fn uuid(random: &mut Random) -> String {
    let (high, low) = (random.next(), random.next());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48 & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    )
}

/// Sizes as measured on a machine with 389 sessions: median 528 KiB and 95th percentile 6.9 MiB, a log-normal with sigma 1.58, scaled
/// so that they add up to what was asked for.
fn sizes(corpus: &Corpus, random: &mut Random) -> Vec<u64> {
    // The largest of that machine was 60 medians; a few draws beyond would make small corpora all tail.
    let drawn: Vec<f64> = (0..corpus.sessions)
        .map(|_| random.log_normal(1.0, 1.58).min(60.0))
        .collect();
    let sum: f64 = drawn.iter().sum();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sizes are positive and need not be exact"
    )]
    drawn
        .iter()
        .map(|share| (share / sum * corpus.bytes as f64) as u64)
        .collect()
}

/// A handful of projects for few sessions, many for many; some are worktrees of others.
fn projects(sessions: usize, random: &mut Random) -> Vec<String> {
    let mut projects: Vec<String> = Vec::new();
    for number in 0..sessions.isqrt().max(3) {
        let project = match projects.last() {
            Some(parent) if number % 5 == 4 => format!("{parent}/.claude/worktrees/{}", identifier(random)),
            _ => format!("/home/dev/work/{}-{}", random.pick(NOUNS), random.pick(NOUNS)),
        };
        if !projects.contains(&project) {
            projects.push(project);
        }
    }
    projects
}

/// Use grows: most sessions are recent.
fn started(corpus: &Corpus, random: &mut Random) -> i64 {
    let span = usize::try_from(i64::from(corpus.days) * DAY_MS).unwrap();
    // At least two hours ago, so that no session ends in the future.
    corpus.now_ms - 7_200_000 - i64::try_from(random.skewed(span)).unwrap()
}

fn ending(random: &mut Random) -> Ending {
    match random.below(100) {
        0..=7 => Ending::Crashed,
        8 => Ending::OnHold,
        9 => Ending::Blocked,
        10..=14 => Ending::Done,
        15..=24 => Ending::Unregistered,
        _ => Ending::Exited,
    }
}
