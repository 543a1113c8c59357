//! Which columns of the table are seen, and how wide.

use crate::columns::{self, NAME, NOTE};
use crate::render::table::{GAP, fit};
use crate::render::width;
use crate::table::model::Model;

/// Before each row: the cursor's sign and the selection's.
pub const GUTTER: usize = 2;

/// Behind each row: the scroll bar.
const MARGIN: usize = 1;

/// What is seen of names while the other columns are scrolled.
const FROZEN_NAME: usize = 16;

/// What each column may be dropped for, greatest first, in the order of [`columns::all`]: the list's order, and then, on screens narrower
/// than the list knows, id, directory and age.
const DROPPED: [u8; columns::COUNT] = [3, 0, 14, 0, 2, 12, 11, 1, 13, 15, 16];

/// Below this width a column says too little to be worth its place beside a longer name.
const LEAST: [(usize, usize); 3] = [(NAME, 24), (4, 16), (5, 14)];

/// Columns from left to right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The place of each in [`columns::all`], and its width.
    pub columns: Vec<(usize, usize)>,
    /// Whether there are more at the left.
    pub more_left: bool,
    /// Whether there are more at the right, or elsewhere while nothing is scrolled.
    pub more_right: bool,
}

/// The columns that are seen.
///
/// Not scrolled, what doesn't fit is dropped, least important first. Scrolled, the name stays and the other columns move past it, each
/// as wide as it wants to be.
#[must_use]
pub fn layout(model: &Model) -> Layout {
    let room = room(model);
    let natural = natural(model);
    if model.pan > 0 {
        let panned = panned(&natural, room, model.pan);
        if panned.more_left {
            return panned;
        }
    }
    let widths = fitted(&natural, room);
    Layout {
        more_left: false,
        more_right: (0..widths.len()).any(|at| natural[at].is_some() && widths[at].is_none()),
        columns: (0..widths.len()).filter_map(|at| Some((at, widths[at]?))).collect(),
    }
}

/// How far the columns can be scrolled: until the last one is seen whole.
#[must_use]
pub fn most_pan(model: &Model) -> usize {
    let (room, natural) = (room(model), natural(model));
    if fitted(&natural, room).iter().flatten().count() == natural.iter().flatten().count() {
        return 0;
    }
    (1..columns::COUNT)
        .find(|pan| !panned(&natural, room, *pan).more_right)
        .unwrap_or(columns::COUNT - 1)
}

fn room(model: &Model) -> usize {
    model.screen.columns.saturating_sub(GUTTER + MARGIN)
}

/// What each column wants; `None` for one without content.
fn natural(model: &Model) -> [Option<usize>; columns::COUNT] {
    let mut wanted = [None; columns::COUNT];
    for (at, column) in columns::all().iter().enumerate() {
        let widest = model.roster.widths()[at];
        if at == NOTE || widest == 0 && !model.roster.lines().is_empty() {
            continue;
        }
        let widest = match column.title {
            // They grow by themselves as time goes by.
            "AGE" | "MEM" => widest.max(4),
            "NAME" | "DIRECTORY" => widest,
            _ => widest.min(column.most),
        };
        wanted[at] = Some(widest.max(width(column.title)));
    }
    wanted
}

fn fitted(natural: &[Option<usize>; columns::COUNT], room: usize) -> Vec<Option<usize>> {
    let mut columns = columns::all();
    for (column, dropped) in columns.iter_mut().zip(DROPPED) {
        column.dropped = dropped;
    }
    for (at, least) in LEAST {
        columns[at].least = least;
    }
    let mut widths = natural.to_vec();
    fit(&columns, &mut widths, room);
    // On the narrowest screens even the last two don't fit.
    let mut left = room;
    for width in widths.iter_mut().flatten() {
        *width = (*width).min(left);
        left = left.saturating_sub(*width + GAP);
    }
    widths
}

fn panned(natural: &[Option<usize>; columns::COUNT], room: usize, pan: usize) -> Layout {
    let name = natural[NAME].unwrap_or(0).min(FROZEN_NAME).min(room);
    let mut shown = vec![(NAME, name)];
    let mut left = room.saturating_sub(name);
    let others: Vec<usize> = (0..columns::COUNT)
        .filter(|at| *at != NAME && natural[*at].is_some())
        .collect();
    let pan = pan.min(others.len().saturating_sub(1));
    let mut more_right = false;
    for at in &others[pan..] {
        let Some(room) = left.checked_sub(GAP + 1) else {
            more_right = true;
            break;
        };
        let wanted = natural[*at].unwrap_or(0);
        let width = wanted.min(room + 1);
        shown.push((*at, width));
        more_right |= width < wanted;
        left -= GAP + width;
    }
    // A column wider than all the room is as whole as it gets.
    let is_alone = shown.len() <= 2 && pan + 1 == others.len();
    Layout {
        columns: shown,
        more_left: pan > 0,
        more_right: more_right && !is_alone,
    }
}
