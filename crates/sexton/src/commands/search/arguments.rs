//! What `sexton search` takes.

use std::path::PathBuf;

use sexton_index::query::{Role, Sort};
use sexton_index::scan::Pattern;
use sexton_index::search::SNIPPET_WIDTH;
use sexton_register::State;

use crate::commands::list::parse_state;
use crate::context::Context;
use crate::render::one_line;
use crate::render::shell::quoted;

const EXAMPLES: &str = "\
Examples:
  sexton search retry policy                     both words in one message
  sexton search '\"exact phrase\" -draft'          a phrase, without messages that have the other word
  sexton search 'load_all OR loadAll' --since 30d
  sexton search timeout --role user --messages   every prompt that has the word
  sexton search --substring '--no-verify'        any text as it stands, without the index
  sexton read 3f8a21c4:120                       reads on where a hit was found

A query with `-without`, quotes or `*` stands in quotes, one that begins with a hyphen behind `--`, too. Words are found whole and by their parts: `load_all`, `getUserById`, `src/main.rs`; `prefix*` finds what begins so. Subagents' words belong to
their session. Exit status 1: nothing matched.";

/// Find sessions by what was said in them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// What to find: words, "phrases", -without, prefix*, one OR another; in quotes, unless it is plain words
    #[arg(required_unless_present_any = ["substring", "regex"])]
    pub(super) query: Vec<String>,

    /// Look through the transcripts themselves for exactly this text
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["regex", "query"], allow_hyphen_values = true)]
    substring: Option<String>,

    /// Look through the transcripts themselves with a regular expression
    #[arg(long, value_name = "RE", conflicts_with = "query", allow_hyphen_values = true)]
    regex: Option<String>,

    /// With --substring or --regex: letters match whatever their case
    #[arg(long, short)]
    ignore_case: bool,

    /// Only sessions whose transcript directory's name contains TEXT
    #[arg(long, value_name = "TEXT")]
    pub(super) project: Option<String>,

    /// Only sessions of this directory and those below it
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,

    /// Only messages since then: an age (s, m, h, d, w, y) such as 7d, a date (local midnight), or an RFC 3339 time
    #[arg(long, value_name = "WHEN")]
    pub(super) since: Option<String>,

    /// Only messages before then
    #[arg(long, value_name = "WHEN")]
    pub(super) before: Option<String>,

    /// Only what these said: user, assistant, thinking, tool, system, title
    #[arg(long, value_name = "ROLE", value_delimiter = ',', value_parser = parse_role)]
    pub(super) role: Vec<Role>,

    /// Only calls of this tool and their results; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) tool: Vec<String>,

    /// Only sessions in this state; may be given several times
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = parse_state)]
    pub(super) state: Vec<State>,

    /// At most so many hits
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(super) limit: usize,

    /// How to sort
    #[arg(long, value_name = "ORDER", default_value = "relevance")]
    pub(super) sort: Order,

    /// Every message that matches, instead of the best of each session
    #[arg(long, short)]
    pub(super) messages: bool,

    /// How much text to show, in characters; the match itself is always whole
    #[arg(long, short = 'c', value_name = "N")]
    context: Option<usize>,
}

/// In which order hits come.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum Order {
    /// What most likely is meant first
    Relevance,
    /// The newest first
    Newest,
    /// The oldest first
    Oldest,
}

impl From<Order> for Sort {
    fn from(order: Order) -> Self {
        match order {
            Order::Relevance => Self::Relevance,
            Order::Newest => Self::Newest,
            Order::Oldest => Self::Oldest,
        }
    }
}

pub(in crate::commands) fn parse_role(text: &str) -> Result<Role, String> {
    Role::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
        format!("the roles are {}", names.join(", "))
    })
}

/// What to do about a search whose words a shell was left to take apart: `-word` is a word of a query and looks like options.
pub(crate) fn unquoted(typed: &[String]) -> Option<String> {
    const LONGEST: usize = 60;
    let at = typed.iter().position(|word| word == "search")?;
    let words = typed[at + 1..].iter().take_while(|word| !word.starts_with("--"));
    let words: Vec<&str> = words.map(String::as_str).collect();
    let excludes = |word: &&str| word.starts_with('-') && word.chars().nth(2).is_some();
    if words.first().is_none_or(excludes) || !words.iter().any(excludes) {
        return None;
    }
    let query = one_line(&words.join(" "));
    let shown = if query.chars().count() > LONGEST {
        "deadlock -sqlite"
    } else {
        &query
    };
    let shown = quoted(shown.as_ref());
    Some(format!(
        "a word that excludes belongs into one query with the others: `sexton search {}`",
        shown.to_string_lossy()
    ))
}

impl Arguments {
    /// What to look for in the transcripts themselves, if that was asked for.
    pub(super) fn pattern(&self) -> Option<Pattern> {
        let ignore_case = self.ignore_case;
        let substring = self
            .substring
            .clone()
            .map(|text| Pattern::Substring { text, ignore_case });
        substring.or_else(|| {
            self.regex.clone().map(|expression| Pattern::Regex {
                expression,
                ignore_case,
            })
        })
    }

    /// What was asked for and says nothing here: also `-mi`, which may be meant for a word to exclude.
    pub(super) fn idle(&self) -> Option<String> {
        let is_idle = self.ignore_case && self.substring.is_none() && self.regex.is_none();
        is_idle.then(|| {
            "`-i` only matters with `--substring` and `--regex`: words match whatever their case; a word to exclude belongs into \
             quotes with the others"
                .to_owned()
        })
    }

    /// The width of a snippet in characters: two lines of the terminal.
    pub(super) fn width(&self, context: &Context) -> usize {
        let of_terminal = context
            .screen
            .columns
            .map(|columns| (columns.saturating_sub(4) * 2).max(40));
        self.context.or(of_terminal).unwrap_or(SNIPPET_WIDTH)
    }
}
