//! Running the client on a session, and coming back.

use sexton_sys::Environment;

use super::model::Notice;
use crate::render::path::safe;
use crate::resume::{Resumption, Wishes, resumption};
use crate::roll::Row;

/// How to run the client on a session, or why not to.
pub(super) fn prepare(row: &Row, environment: &Environment) -> Result<Resumption, String> {
    resumption(row, environment, Wishes::default()).map_err(|error| error.to_string())
}

/// Runs it to its end and says what happened. The screen must be given back first.
pub(super) fn run(resumption: &Resumption) -> Notice {
    match resumption.command().status() {
        Ok(status) if status.success() => Notice::said("the client has ended"),
        Ok(status) => Notice::failed(format!("the client ended with {status}")),
        Err(error) => Notice::failed(format!("run `{}`: {error}", safe(&resumption.client))),
    }
}
