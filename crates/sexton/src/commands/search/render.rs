//! Hits for people.

use std::fmt::Write;

use sexton_index::search::{Answer, Hit};
use sexton_index::snippet::Snippet;

use crate::context::Context;
use crate::documents::reference;
use crate::render::{Styles, age, counted, one_line, short_path, truncate, visible};
use crate::roll::ShortIds;

/// Each hit: a reference, what session it is, and the text around the match.
pub(super) fn hits(answer: &Answer, short_ids: &ShortIds, context: &Context) -> String {
    let mut text = String::new();
    for hit in &answer.hits {
        one(&mut text, hit, short_ids, context);
    }
    text
}

fn one(text: &mut String, hit: &Hit, short_ids: &ShortIds, context: &Context) {
    let styles = context.screen.out;
    let (header, dim) = (styles.header(), styles.dim());
    let reference = visible(&reference(&short_ids.get(hit.session), hit.agent.as_deref(), hit.line)).into_owned();
    let when = hit
        .at_ms
        .or(hit.last_ms)
        .map(|then| age(then, context.now_ms()))
        .unwrap_or_default();
    let title = hit.title.as_deref().map(one_line).unwrap_or_default();
    let home = context.environment.home();
    let directory = hit
        .directory
        .as_deref()
        .map(|directory| short_path(directory, home.as_deref()))
        .unwrap_or_default();
    let mut rest = format!("{when:>4}  {title}");
    let mut remarks = vec![directory];
    if hit.matches > 1 {
        remarks.push(counted(hit.matches, "match"));
    }
    if hit.agent.is_some() {
        remarks.push("said to or by a subagent".to_owned());
    }
    if let Some(since) = hit.missing_since_ms {
        remarks.push(format!("transcript gone since {}", age(since, context.now_ms())));
    }
    remarks.retain(|remark| !remark.is_empty());
    let remarks = remarks.join(", ");
    // On a terminal the first line is cut, not wrapped; a pipe gets it whole.
    if let Some(columns) = context.screen.columns {
        let left = columns.saturating_sub(reference.chars().count() + 2);
        let room = left.saturating_sub(remarks.chars().count() + 2).max(left / 2);
        rest = truncate(&rest, room).into_owned();
        let remarks = truncate(&remarks, left.saturating_sub(crate::render::width(&rest) + 2)).into_owned();
        let _ = writeln!(text, "{header}{reference}{header:#}  {rest}  {dim}{remarks}{dim:#}");
    } else {
        let _ = writeln!(text, "{reference}  {rest}  {remarks}");
    }
    match &hit.snippet {
        Some(snippet) => {
            let _ = writeln!(text, "    {}", marked(snippet, styles));
        }
        None => {
            let _ = writeln!(text, "    {dim}(the text can't be had any more){dim:#}");
        }
    }
}

/// A snippet with its matches marked.
fn marked(snippet: &Snippet, styles: Styles) -> String {
    let style = styles.matched();
    let mut shown = String::new();
    if snippet.cut_before {
        shown.push('…');
    }
    let mut from = 0;
    for mark in &snippet.marks {
        let (Some(before), Some(found)) = (snippet.text.get(from..mark.start), snippet.text.get(mark.clone())) else {
            continue;
        };
        let _ = write!(shown, "{}{style}{}{style:#}", visible(before), visible(found));
        from = mark.end;
    }
    shown.push_str(&visible(snippet.text.get(from..).unwrap_or_default()));
    if snippet.cut_after {
        shown.push('…');
    }
    shown
}

/// How many there are, if not all are shown.
pub(super) fn footer(answer: &Answer) -> Option<String> {
    let Answer { hits, total, is_exact } = answer;
    match hits.len() {
        0 if *total == 0 => Some("no match".to_owned()),
        shown if shown < *total => {
            let least = if *is_exact { "" } else { "at least " };
            Some(format!("{shown} of {least}{total} shown: `--limit`"))
        }
        _ => None,
    }
}
