//! A question as an FTS5 expression: every token quoted, so that no text can be taken for syntax.

use super::Question;
use crate::tokens::Needs;

/// The expression for `question`; `None` if it asks for nothing.
pub(super) fn expression(question: Question<'_>) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(plan) = question.plan {
        let mut part = String::new();
        write(&plan.needs, &mut part);
        parts.push(part);
    }
    for marks in question.marks.iter().filter(|marks| !marks.is_empty()) {
        let tokens: Vec<String> = marks.iter().map(|mark| quoted(&mark.token())).collect();
        parts.push(format!("({})", tokens.join(" OR ")));
    }
    if parts.is_empty() {
        return None;
    }
    let mut text = parts.join(" AND ");
    let excludes = question.plan.map_or(&[][..], |plan| &plan.excludes);
    if !excludes.is_empty() {
        let mut unwanted = String::new();
        write_list(excludes, " OR ", &mut unwanted);
        text = format!("({text}) NOT {unwanted}");
    }
    Some(text)
}

fn write(needs: &Needs, into: &mut String) {
    match needs {
        Needs::Token(token) => into.push_str(&quoted(token)),
        Needs::Prefix(prefix) => {
            into.push_str(&quoted(prefix));
            into.push('*');
        }
        Needs::All(all) => write_list(all, " AND ", into),
        Needs::Any(any) => write_list(any, " OR ", into),
    }
}

fn write_list(list: &[Needs], operator: &str, into: &mut String) {
    into.push('(');
    for (index, needs) in list.iter().enumerate() {
        if index > 0 {
            into.push_str(operator);
        }
        write(needs, into);
    }
    into.push(')');
}

/// Tokens hold no quotes (a quote is no joiner), but nothing here relies on it.
fn quoted(token: &str) -> String {
    format!("\"{}\"", token.replace('"', "\"\""))
}
