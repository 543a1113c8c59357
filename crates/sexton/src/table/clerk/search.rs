//! Finding sessions by what was said in them.

use sexton_index::query::{Filter, Query, SearchRequest, Sort, View};
use sexton_index::search::{SearchContext, search};
use sexton_index::snippet::Snippet;
use sexton_index::texts::Texts;

use super::look::Looker;
use crate::indexing::vault;
use crate::render::style::Styles;
use crate::render::{Cell, visible};
use crate::table::model::{Found, News, Place, TextSearch};

/// More than one looks through on a screen.
const MOST_HITS: usize = 200;

/// Searches in what the catalogue has read by now. A query that can't be understood is answered with why.
pub(super) fn found(query: &str, looker: &Looker<'_>) -> News {
    let context = looker.context();
    let nothing = |note: String| {
        News::Found(TextSearch {
            query: query.to_owned(),
            hits: Vec::new(),
            total: 0,
            note: Some(note),
        })
    };
    let Some(indexed) = looker.indexed() else {
        return nothing("The catalogue can't be had; see the problems (!).".to_owned());
    };
    let vault = vault(context);
    let request = SearchRequest {
        query: Query::parse(query),
        filter: Filter::default(),
        sort: Sort::default(),
        view: View::Sessions,
        limit: MOST_HITS,
        now_ms: context.now_ms(),
    };
    let surroundings = SearchContext {
        texts: Texts {
            vault: &vault,
            archives: looker.archives(),
        },
        tombstones: &indexed.report.tombstones,
        facts: &indexed.report.facts,
        names: looker.names(),
        width: sexton_index::search::SNIPPET_WIDTH,
    };
    match search(&indexed.catalogue, surroundings, &request) {
        Ok(answer) => News::Found(TextSearch {
            query: query.to_owned(),
            total: answer.total,
            note: indexed.incomplete.clone(),
            hits: answer
                .hits
                .into_iter()
                .map(|hit| Found {
                    session: hit.session,
                    place: (hit.line > 0).then_some(Place {
                        path: hit.path,
                        line: hit.line,
                    }),
                    snippet: hit
                        .snippet
                        .map(|snippet| cells(&snippet, context.screen.out))
                        .unwrap_or_default(),
                })
                .collect(),
        }),
        Err(error) => nothing(error.to_string()),
    }
}

/// A snippet with its matches marked.
fn cells(snippet: &Snippet, styles: Styles) -> Vec<Cell> {
    let dim = styles.dim();
    let piece = |text: &str, style| Cell::styled(visible(text), style);
    let mut cells = vec![piece(if snippet.cut_before { "…" } else { "" }, dim)];
    let mut from = 0;
    for mark in &snippet.marks {
        let (Some(before), Some(found)) = (snippet.text.get(from..mark.start), snippet.text.get(mark.clone())) else {
            continue;
        };
        cells.extend([piece(before, dim), piece(found, styles.matched())]);
        from = mark.end;
    }
    cells.push(piece(snippet.text.get(from..).unwrap_or_default(), dim));
    cells.push(piece(if snippet.cut_after { "…" } else { "" }, dim));
    cells
}
