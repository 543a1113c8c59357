//! Who is on the sample machine and what became of them.

use sexton_register::MarkState;

/// One sample session.
#[derive(Debug, Clone, Copy)]
pub struct Story {
    /// The display name, if somebody gave one.
    pub name: Option<&'static str>,
    /// The title that the client made.
    pub title: &'static str,
    /// The working directory, below the sample home.
    pub directory: &'static str,
    /// The model.
    pub model: &'static str,
    /// What was said: prompts and answers in turn.
    pub talk: &'static [&'static str],
    /// How long ago the last word was, in minutes.
    pub minutes_ago: i64,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a sample session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Its client runs, and the registry has this status.
    Runs(&'static str),
    /// Its client waits for this.
    Waits(&'static str),
    /// Its client runs, but the registry has no start token.
    RunsUnverified,
    /// Its hook reported a start seconds ago; nothing is registered yet.
    Starts,
    /// It ended and was marked, with a note.
    Marked(MarkState, &'static str),
    /// Its client was killed and left its registry file.
    Crashed,
    /// It vanished long ago: a start, no end, no registry file.
    Vanished,
    /// It ended by itself.
    Exited,
    /// It was there before the hooks were: only the transcript is left.
    OnlyTranscript,
}

/// The sessions of the sample machine.
pub const STORIES: &[Story] = &[
    Story {
        name: Some("parser-rewrite"),
        title: "Rewrite the config parser",
        directory: "work/harbour",
        model: "claude-opus-5-5",
        talk: &[
            "Rewrite the config parser so that errors carry a span.",
            "I'll start with the tokenizer and keep `load_all` as it is.",
        ],
        minutes_ago: 0,
        fate: Fate::Runs("busy"),
    },
    Story {
        name: None,
        title: "Review of the retry policy",
        directory: "work/harbour",
        model: "claude-sonnet-5",
        talk: &[
            "Is the retry policy in src/net/retry.rs sound?",
            "May I run the tests to see how it behaves under load?",
        ],
        minutes_ago: 4,
        fate: Fate::Waits("permission prompt"),
    },
    Story {
        name: Some("nightly-bench"),
        title: "Benchmark the importer",
        directory: "work/lantern/bench",
        model: "claude-sonnet-5",
        talk: &[
            "Run the importer benchmark every ten minutes.",
            "It runs in the background; the first figure is 41 MB/s.",
        ],
        minutes_ago: 11,
        fate: Fate::Runs("shell"),
    },
    Story {
        name: None,
        title: "Explain the cache layers",
        directory: "work/lantern",
        model: "claude-haiku-5",
        talk: &[
            "Explain the cache layers to me.",
            "There are three: memory, disk, and the CDN in front.",
        ],
        minutes_ago: 38,
        fate: Fate::Runs("idle"),
    },
    Story {
        name: Some("remote-pairing"),
        title: "Pairing on the scheduler",
        directory: "work/orchard",
        model: "claude-opus-5-5",
        talk: &[
            "Let's look at the scheduler together.",
            "The queue in `plan_next` is sorted twice.",
        ],
        minutes_ago: 52,
        fate: Fate::RunsUnverified,
    },
    Story {
        name: None,
        title: "Fix the flaky login test",
        directory: "work/orchard",
        model: "claude-sonnet-5",
        talk: &[],
        minutes_ago: 0,
        fate: Fate::Starts,
    },
    Story {
        name: Some("schema-migration"),
        title: "Plan the schema migration",
        directory: "work/harbour/db",
        model: "claude-opus-5-5",
        talk: &[
            "Plan the migration from v3 to v4.",
            "Step one is the backfill; it needs a maintenance window.",
        ],
        minutes_ago: 26 * 60,
        fate: Fate::Marked(MarkState::Blocked, "waits for the maintenance window"),
    },
    Story {
        name: None,
        title: "日本語のドキュメントを整理する",
        directory: "work/lantern/docs",
        model: "claude-sonnet-5",
        talk: &["日本語のドキュメントを整理してください。", "章立てを三つに分けました。"],
        minutes_ago: 3 * 24 * 60,
        fate: Fate::Marked(MarkState::OnHold, "after the release"),
    },
    Story {
        name: Some("import-fix"),
        title: "Importer loses the last row",
        directory: "work/lantern",
        model: "claude-opus-5-5",
        talk: &[
            "The importer loses the last row of each file.",
            "The reader stops at the first short read; here is a fix.",
        ],
        minutes_ago: 95,
        fate: Fate::Crashed,
    },
    Story {
        name: None,
        title: "Port the build to the new runner",
        directory: "work/orchard",
        model: "claude-sonnet-5",
        talk: &[
            "Port the build to the new runner.",
            "Two steps need a secret that I can't see.",
        ],
        minutes_ago: 7 * 60,
        fate: Fate::Vanished,
    },
    Story {
        name: Some("release-notes"),
        title: "Release notes for 2.4",
        directory: "work/harbour",
        model: "claude-haiku-5",
        talk: &[
            "Write the release notes for 2.4.",
            "Done: 14 entries, two of them breaking.",
        ],
        minutes_ago: 2 * 24 * 60,
        fate: Fate::Marked(MarkState::Done, "published"),
    },
    Story {
        name: None,
        title: "What does this regex do",
        directory: "work/lantern",
        model: "claude-haiku-5",
        talk: &[
            "What does ^[0-9a-f]{8}- match?",
            "Eight hexadecimal digits and a hyphen.",
        ],
        minutes_ago: 5 * 24 * 60,
        fate: Fate::Exited,
    },
    Story {
        name: None,
        title: "Sketch of the queue design",
        directory: "work/orchard",
        model: "claude-sonnet-5",
        talk: &[
            "Sketch a queue that survives restarts.",
            "An append-only log with a checkpoint every 1,000 entries.",
        ],
        minutes_ago: 19 * 24 * 60,
        fate: Fate::OnlyTranscript,
    },
    Story {
        name: None,
        title: "Why the cache was cold",
        directory: "work/lantern",
        model: "claude-opus-5-5",
        talk: &[
            "Why was the cache cold after the deploy?",
            "`warm_up` ran before the migration and gave up; nothing called it again.",
        ],
        minutes_ago: 28 * 24 * 60,
        fate: Fate::OnlyTranscript,
    },
    Story {
        name: None,
        title: "ok",
        directory: "work/orchard",
        model: "claude-haiku-5",
        talk: &["ok", "What shall I do?"],
        minutes_ago: 26 * 24 * 60,
        fate: Fate::OnlyTranscript,
    },
];
