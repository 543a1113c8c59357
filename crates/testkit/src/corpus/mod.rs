//! A generated machine: transcripts, register, tombstones, in the shape of a real one and as large as asked for.
//!
//! The same seed gives the same bytes and times everywhere. Words are those of people who talk about programs, so that an index has
//! to do what it has to do for them; nothing in it was ever written by anyone.

mod conversation;
pub mod needles;
mod plan;
mod side;
mod vocabulary;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::random::Random;
use conversation::Conversation;
use plan::SessionPlan;
use vocabulary::Vocabulary;

use crate::ids::slug;
use crate::time::NOW_MS;

/// A corpus to generate.
#[derive(Debug, Clone)]
pub struct Corpus {
    seed: u64,
    sessions: usize,
    bytes: u64,
    days: u32,
    now_ms: i64,
}

/// What was generated; sessions are in the order of their numbers, which says nothing about their times.
#[derive(Debug, Clone)]
pub struct Generated {
    /// The home directory that holds it all.
    pub home: PathBuf,
    /// Every session.
    pub sessions: Vec<GeneratedSession>,
    /// Bytes of all transcripts, subagents' included.
    pub bytes: u64,
    /// How many of the transcripts are subagents'.
    pub subagents: usize,
    /// Ids in the tombstone file; none of them has a transcript.
    pub tombstoned: Vec<String>,
}

/// One generated session.
#[derive(Debug, Clone)]
pub struct GeneratedSession {
    /// Its id.
    pub id: String,
    /// Its working directory, which doesn't exist.
    pub cwd: String,
    /// Its transcript.
    pub transcript: PathBuf,
    /// Bytes of its transcript, without its subagents.
    pub bytes: u64,
    /// The time of its last record in milliseconds since the Unix epoch, which is the transcript's mtime, too.
    pub last_ms: i64,
    /// How many subagents it had.
    pub subagents: usize,
}

impl Corpus {
    /// `sessions` sessions with about `bytes` bytes of transcripts over ninety days that end at [`NOW_MS`], seed 1.
    ///
    /// No session is smaller than one short exchange, about 3 KB, however few bytes are asked for.
    pub fn new(sessions: usize, bytes: u64) -> Self {
        Self {
            seed: 1,
            sessions,
            bytes,
            days: 90,
            now_ms: NOW_MS,
        }
    }

    /// Another seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Spreads the sessions over this many days, the last ones the fullest.
    pub fn days(mut self, days: u32) -> Self {
        self.days = days;
        self
    }

    /// Ends at this time, in milliseconds since the Unix epoch.
    pub fn ending_at(mut self, ms: i64) -> Self {
        self.now_ms = ms;
        self
    }

    /// Writes it below `home`, whose `.claude` must not hold any of it yet, on all cores.
    pub fn generate(&self, home: &Path) -> Generated {
        // A piece is drawn about once in two hundred bytes; few pieces would make a large corpus repeat itself.
        let pieces = usize::try_from(self.bytes / 2_000).unwrap().clamp(300, 40_000);
        let words = Vocabulary::new(self.seed, pieces);
        let plans = plan::draw(self);
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(plans.len()));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..cores.min(plans.len()) {
                scope.spawn(|| {
                    while let Some(plan) = plans.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let session = self.write_session(home, plan, &words);
                        done.lock().unwrap().push((plan.number, session));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap();
        done.sort_by_key(|(number, _)| *number);
        let subagent_bytes: u64 = done.iter().map(|(_, (_, bytes))| bytes).sum();
        let sessions: Vec<GeneratedSession> = done.into_iter().map(|(_, (session, _))| session).collect();
        let tombstoned = side::write_tombstones(home, self.seed, self.sessions / 20);
        Generated {
            home: home.to_path_buf(),
            bytes: sessions.iter().map(|session| session.bytes).sum::<u64>() + subagent_bytes,
            subagents: sessions.iter().map(|session| session.subagents).sum(),
            sessions,
            tombstoned,
        }
    }

    fn write_session(&self, home: &Path, plan: &SessionPlan, words: &Vocabulary) -> (GeneratedSession, u64) {
        let mut random = Random::for_part(self.seed, plan.number as u64);
        let project = home.join(".claude/projects").join(slug(&plan.cwd));
        let transcript = project.join(format!("{}.jsonl", plan.id));
        // A third of a session with subagents is theirs.
        let side_bytes = if plan.subagents > 0 { plan.bytes / 3 } else { 0 };
        let mut subagent_bytes = 0;
        for _ in 0..plan.subagents {
            let agent = format!("a{:016x}", random.next());
            let path = project.join(&plan.id).join(format!("subagents/agent-{agent}.jsonl"));
            let part = Random::new(random.next());
            subagent_bytes += Conversation::create(&path, plan, words, part, Some(&agent))
                .write(plan.number, side_bytes / plan.subagents as u64)
                .bytes;
        }
        let part = Random::new(random.next());
        let written =
            Conversation::create(&transcript, plan, words, part, None).write(plan.number, plan.bytes - side_bytes);
        side::write(home, plan, &transcript, written.last_ms, &mut random);
        let session = GeneratedSession {
            id: plan.id.clone(),
            cwd: plan.cwd.clone(),
            transcript,
            bytes: written.bytes,
            last_ms: written.last_ms,
            subagents: plan.subagents,
        };
        (session, subagent_bytes)
    }
}
