//! Reading many files at once for one writer, in bounded memory.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use super::decide::Job;
use super::reading::{Gathered, Reading, Unit};
use super::writer::Writer;
use super::{PassReport, PassRequest, Progress};
use crate::catalogue::Catalogue;
use crate::error::IndexError;

/// Units that wait for the writer.
const WAITING: usize = 1;

/// More readers than this only wait for the writer.
const MOST_READERS: usize = 4;

/// Of files longer than this, in bytes, one is read at a time: a line in it may take as much memory as all else together.
const LARGE: u64 = 48 * 1024 * 1024;

/// Reads the new parts of all `jobs`.
pub(super) fn read_all(
    catalogue: &Catalogue,
    writer: &mut Writer<'_>,
    jobs: &[Job],
    request: &PassRequest<'_>,
    report: &mut PassReport,
) -> Result<(), IndexError> {
    if jobs.is_empty() {
        return Ok(());
    }
    let unread = |job: &Job| {
        job.seen.identity.size
            - job
                .stored
                .as_ref()
                .map_or(0, |stored| stored.offset.min(job.seen.identity.size))
    };
    report.progress = Progress {
        bytes_total: jobs.iter().map(unread).sum(),
        files_total: jobs.len(),
        ..Progress::default()
    };
    // States are small and only wanted for files that grew; a connection belongs to one thread.
    let mut states = std::collections::HashMap::new();
    for stored in jobs.iter().filter_map(|job| job.stored.as_ref()) {
        if let Some(state) = catalogue.state(stored.number)? {
            states.insert(stored.number, state);
        }
    }
    let states = Mutex::new(states);
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let large = Mutex::new(());
    let should_stop = || failed.load(Ordering::Relaxed) || (request.should_stop)();
    let readers = std::thread::available_parallelism()
        .map_or(1, std::num::NonZero::get)
        .min(MOST_READERS)
        .min(jobs.len());
    let (sender, receiver) = sync_channel::<Unit>(WAITING);
    let state_of = |file: i64| states.lock().unwrap_or_else(PoisonError::into_inner).remove(&file);
    let work = |sender: SyncSender<Unit>| {
        let send = |unit| sender.send(unit).is_ok();
        let reading = Reading {
            tool_output: request.tool_output,
            readers,
            vault: Some(request.vault),
            should_stop: &should_stop,
            state_of: &state_of,
            send: &send,
        };
        let mut gathered = Gathered::default();
        while !should_stop() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(number) else { break };
            let _alone = (job.seen.identity.size > LARGE).then(|| large.lock().unwrap_or_else(PoisonError::into_inner));
            let result = reading.read(number, job, &mut gathered);
            gathered.end(number, result.map_err(|error| error.to_string()));
        }
        send(gathered.finish());
    };
    let written = std::thread::scope(|scope| {
        for _ in 0..readers {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        let written = receiver.iter().try_for_each(|unit| {
            report.progress.bytes_read += unit.bytes;
            report.progress.files_read += unit.done.len();
            for (number, result) in &unit.done {
                if let Err(reason) = result {
                    report.problems.push((jobs[*number].seen.path.clone(), reason.clone()));
                }
            }
            (request.progress)(report.progress);
            writer.take(unit, jobs)
        });
        failed.store(written.is_err(), Ordering::Relaxed);
        // Readers that wait for room in the queue are let go.
        drop(receiver);
        written
    });
    written?;
    writer.write(jobs)?;
    writer.commit()?;
    report.finished &= report.progress.files_read == jobs.len() && !(request.should_stop)();
    (request.progress)(report.progress);
    Ok(())
}
