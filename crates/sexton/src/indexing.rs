//! Bringing the catalogue up to date before an answer, within a bounded time.

mod unwritable;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use sexton_index::IndexError;
use sexton_index::catalogue::{Catalogue, CatalogueSession};
use sexton_index::facts::FactStore;
use sexton_index::pass::{self, CopyWarning, Keep, KeepPolicy, PassReport, PassRequest, Progress};
use sexton_index::vault::Vault;
use sexton_register::SessionId;
use sexton_sys::Effects;

use crate::configuration::VaultPolicy;
use crate::context::Context;
use crate::error::CommandError;
use crate::render::{counted, size};

/// How long an answer waits for the catalogue. What is left is gone on with by the next command.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For transcripts to be read.
    pub reading: Duration,
    /// For copies to be made afterwards, which no answer depends on.
    pub copying: Duration,
    /// Whether another process that reads is waited for as well.
    waits: bool,
}

impl Patience {
    /// A list reads the ends of what the catalogue doesn't know yet, and need not wait.
    pub const LIST: Self = Self::of(200, 200);
    /// A search finds only what has been read.
    pub const SEARCH: Self = Self::of(10_000, 200).waiting();
    /// Somebody asked for copies, perhaps for thousands, and waits for them.
    const COPY: Self = Self::of(10_000, 600_000).waiting();

    /// Nothing is read.
    const NONE: Self = Self::of(0, 0);

    const fn of(reading_ms: u64, copying_ms: u64) -> Self {
        Self {
            reading: Duration::from_millis(reading_ms),
            copying: Duration::from_millis(copying_ms),
            waits: false,
        }
    }

    const fn waiting(self) -> Self {
        Self { waits: true, ..self }
    }
}

/// A catalogue that is as fresh as the time allowed, and what the pass found.
pub struct Indexed {
    /// The catalogue.
    pub catalogue: Catalogue,
    /// What the pass found and did.
    pub report: PassReport,
    /// What a person should know: set aside, vault full.
    pub warnings: Vec<String>,
    /// Why not all text was read, for those whose answer depends on it; what everybody should know stands in `warnings` as well.
    pub incomplete: Option<String>,
    /// Facts that can't be read.
    pub problems: Vec<String>,
    /// All sessions, where they were read while there was time; they are taken once.
    ahead: Cell<Option<Vec<CatalogueSession>>>,
}

impl Indexed {
    fn new(context: &Context, catalogue: Catalogue, mut report: PassReport) -> Self {
        let store = fact_store(context);
        let mut problems = Vec::new();
        if report.problems.iter().any(|(path, _)| path == store.directory()) {
            // A pass does without all of them; an answer takes what there is.
            let (facts, errors) = store.load_readable();
            report.facts = facts;
            problems = errors.iter().map(facts_problem).collect();
        }
        Self {
            warnings: warnings(&catalogue, &report),
            incomplete: incomplete(&report),
            catalogue,
            report,
            problems,
            ahead: Cell::default(),
        }
    }

    /// Reads all sessions now, for the next who asks for [`Self::sessions`].
    pub fn read_ahead(&self) {
        // An error is met again, and told, by who asks.
        self.ahead.set(self.catalogue.sessions().ok());
    }

    /// Every session that the catalogue knows, by id.
    pub fn sessions(&self) -> Result<Vec<CatalogueSession>, IndexError> {
        self.ahead.take().map_or_else(|| self.catalogue.sessions(), Ok)
    }

    /// The same, lacking what `sentence` says; `is_lacking` if an answer depends on that.
    fn warning(self, sentence: String, is_lacking: bool) -> Self {
        Self {
            incomplete: is_lacking.then(|| sentence.clone()),
            warnings: vec![sentence],
            ..self
        }
    }
}

/// The file of the catalogue.
#[must_use]
pub fn catalogue_path(context: &Context) -> PathBuf {
    context.places.cache.join("catalogue.sqlite")
}

/// The vault.
#[must_use]
pub fn vault(context: &Context) -> Vault {
    Vault::new(context.places.data.join("vault"))
}

/// Facts that can't be derived: missing stamps, routine overrides, kept sessions.
#[must_use]
pub fn fact_store(context: &Context) -> FactStore {
    FactStore::new(context.places.data.clone())
}

/// What to do about a file of facts that can't be understood; it is never overwritten.
const FACTS_ADVICE: &str = "mend the file or move it away: sexton then goes on without what stands in it";

/// Why facts could not be read or changed, for a command that needs them.
#[must_use]
pub fn facts_error(error: &IndexError) -> CommandError {
    match error {
        IndexError::Facts { .. } => CommandError::unreadable(error).hint(FACTS_ADVICE),
        IndexError::Io { .. } => CommandError::unreadable(error),
        other => CommandError::refused(other),
    }
}

/// The same in one line, for a command that goes on without them.
#[must_use]
pub fn facts_problem(error: &IndexError) -> String {
    match error {
        IndexError::Facts { .. } => format!("{error}; {FACTS_ADVICE}"),
        other => other.to_string(),
    }
}

/// Runs a pass for at most `patience`; `archived` are the sessions that lie in an archive.
///
/// Shows progress on a terminal once it takes longer than half a second. A catalogue that can't be written is read as it is, and a warning
/// says so; that there is none to be read is the error that writing it met.
pub fn bring_up_to_date(
    context: &Context,
    archived: &BTreeMap<SessionId, PathBuf>,
    patience: Patience,
) -> Result<Indexed, IndexError> {
    match written(context, archived, patience, policy(context.configuration.vault.policy)) {
        Err(error) if error.is_of_the_disk() => unwritable::as_it_is(context, archived, error),
        other => other,
    }
}

/// A pass for the sake of the copies of those sessions that are to be kept whatever the policy.
///
/// What is copied is noted in the catalogue: one that can't be written is an error here.
pub fn copy(context: &Context, archived: &BTreeMap<SessionId, PathBuf>) -> Result<Indexed, IndexError> {
    written(context, archived, Patience::COPY, KeepPolicy::Named)
}

/// As [`bring_up_to_date`], for an answer that must not fail for want of a catalogue: where none can be read either, one is filled in memory.
///
/// `filled` says whether the answer asks for the words of transcripts at all.
pub fn bring_up_to_date_anywhere(
    context: &Context,
    archived: &BTreeMap<SessionId, PathBuf>,
    patience: Patience,
    filled: bool,
) -> Result<Indexed, IndexError> {
    let is_no_matter = |error: &IndexError| error.is_of_the_disk() || matches!(error, IndexError::Newer { .. });
    match bring_up_to_date(context, archived, patience) {
        Err(error) if is_no_matter(&error) => unwritable::in_memory(context, archived, patience, filled, &error),
        other => other,
    }
}

fn written(
    context: &Context,
    archived: &BTreeMap<SessionId, PathBuf>,
    patience: Patience,
    policy: KeepPolicy,
) -> Result<Indexed, IndexError> {
    let effects = Effects::apply();
    let now_ms = context.now_ms();
    let mut catalogue = Catalogue::open(&catalogue_path(context), &effects, now_ms)?;
    let keep = Keep {
        policy,
        limit: context.configuration.vault.limit.bytes(),
    };
    let (catalogue, report) = run_pass(context, archived, patience, Some(&keep), |request| {
        let report = match pass::run(&mut catalogue, &effects, request) {
            Err(error) if error.is_damage() => {
                catalogue = catalogue.rebuild(&effects, now_ms)?;
                pass::run(&mut catalogue, &effects, request)?
            }
            other => other?,
        };
        Ok((catalogue, report))
    })?;
    Ok(Indexed::new(context, catalogue, report))
}

/// Makes the request of a pass from what stands in the context, and runs it.
fn run_pass<T>(
    context: &Context,
    archived: &BTreeMap<SessionId, PathBuf>,
    patience: Patience,
    keep: Option<&Keep>,
    run: impl FnOnce(PassRequest<'_>) -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    let started = Instant::now();
    let copying = OnceLock::new();
    let meter = Meter::new(context.screen.stderr_is_terminal, started);
    let (facts, vault) = (fact_store(context), vault(context));
    let done = run(PassRequest {
        config_dirs: context.config_dirs.as_slice(),
        tombstone_dir: &context.places.tombstones,
        archived,
        facts: &facts,
        vault: &vault,
        keep,
        tool_output: context.configuration.index.tool_output,
        now_ms: context.now_ms(),
        waits: patience.waits,
        should_stop: &|| started.elapsed() >= patience.reading,
        should_stop_copying: &|| {
            let copied_for = copying.get_or_init(Instant::now).elapsed();
            meter.show_copying(copied_for);
            copied_for >= patience.copying
        },
        progress: &|progress| meter.show(progress),
    });
    meter.clear();
    done
}

fn policy(configured: VaultPolicy) -> KeepPolicy {
    match configured {
        VaultPolicy::All => KeepPolicy::All,
        VaultPolicy::Named => KeepPolicy::Named,
        VaultPolicy::Off => KeepPolicy::Off,
    }
}

fn warnings(catalogue: &Catalogue, report: &PassReport) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(aside) = catalogue.set_aside() {
        warnings.push(format!(
            "the catalogue could not be used; it was set aside as {} and is made anew",
            aside.display()
        ));
    }
    warnings.extend(report.warnings.iter().map(copy_warning));
    warnings
}

/// What concerns the vault, as a sentence.
#[must_use]
pub fn copy_warning(warning: &CopyWarning) -> String {
    match warning {
        CopyWarning::Full { held, limit, waiting } => format!(
            "the vault is full ({} of {}): {} without a whole copy; raise `vault.limit` or drop copies with `sexton keep drop`",
            size(*held),
            size(*limit),
            counted(*waiting, "session")
        ),
        CopyWarning::Failed {
            session,
            reason,
            waiting,
        } => {
            let others = match waiting {
                0 => String::new(),
                more => format!(", nor of {} more", counted(*more, "session")),
            };
            format!("no copy of {session}{others} could be kept: {reason}")
        }
        other => format!("{other:?}"),
    }
}

/// Why not all text was read, if it wasn't. What is left may also be copies for the vault, which no answer depends on.
fn incomplete(report: &PassReport) -> Option<String> {
    let Progress {
        bytes_read,
        bytes_total,
        ..
    } = report.progress;
    let why = match bytes_total.saturating_sub(bytes_read) {
        _ if report.finished => return None,
        _ if report.busy => "another process is reading the transcripts".to_owned(),
        0 => return None,
        left => format!("{} of transcripts are still to be read", size(left)),
    };
    Some(format!("the answer is not complete yet: {why}; ask again"))
}

/// Progress on stderr.
struct Meter {
    is_shown: bool,
    started: Instant,
    last: Mutex<Option<Instant>>,
}

/// What ends sooner is not worth a flicker.
const QUIET: Duration = Duration::from_millis(500);

impl Meter {
    fn new(is_shown: bool, started: Instant) -> Self {
        Self {
            is_shown,
            started,
            last: Mutex::new(None),
        }
    }

    fn show(&self, progress: Progress) {
        if !self.is_shown || self.started.elapsed() < QUIET {
            return;
        }
        // Passes report from several threads; one that finds the meter busy has nothing newer to say.
        let Ok(mut last) = self.last.try_lock() else { return };
        if last.is_some_and(|last| last.elapsed() < Duration::from_millis(100)) {
            return;
        }
        *last = Some(Instant::now());
        let Progress {
            bytes_read,
            bytes_total,
            files_read,
            files_total,
        } = progress;
        if files_total == 0 {
            let _ = write!(
                std::io::stderr(),
                "\r\x1b[Kwaiting for another process that reads transcripts"
            );
            return;
        }
        let _ = write!(
            std::io::stderr(),
            "\r\x1b[Kreading transcripts: {} of {}, {files_read} of {}",
            size(bytes_read),
            size(bytes_total),
            counted(files_total, "file")
        );
    }

    fn show_copying(&self, copied_for: Duration) {
        if !self.is_shown || copied_for < QUIET {
            return;
        }
        if let Ok(mut last) = self.last.try_lock() {
            *last = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\r\x1b[Kmaking copies");
        }
    }

    fn clear(&self) {
        if self.last.lock().is_ok_and(|last| last.is_some()) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
