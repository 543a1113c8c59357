//! How inserted text is laid out, so that it looks like what stands around it.

use super::document::Container;

/// The habits of one document.
#[derive(Debug)]
pub(super) struct Layout {
    /// `\n` or `\r\n`.
    pub(super) newline: &'static str,
    /// One step of indentation.
    pub(super) step: String,
    /// What stands between a colon and its value.
    pub(super) colon: &'static str,
}

/// Where a value is written.
#[derive(Debug, Clone)]
pub(super) enum Flow {
    /// On the line on which it begins.
    OneLine,
    /// On lines of its own; the line on which it begins is indented by this.
    Lines(String),
}

impl Flow {
    /// The flow that the items of an empty container at this place would have.
    pub(super) fn at(container: &Container<'_>) -> Self {
        let before = &container.text[..container.span.start];
        match before.rsplit_once('\n') {
            // A whole document on its first line is one-line, unless nothing is in it yet.
            None if !before.trim().is_empty() => Self::OneLine,
            None => Self::Lines(String::new()),
            Some((_, line)) => Self::Lines(line[..line.len() - line.trim_start().len()].to_owned()),
        }
    }
}

/// A value that is to be written.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Object(Vec<(&'static str, Self)>),
    Array(Vec<Self>),
    /// A string.
    Text(String),
    /// A number.
    Number(u32),
}

impl Layout {
    /// The habits of the document with this root; two blanks where it shows none.
    pub(super) fn of(root: &Container<'_>) -> Self {
        let step = match root.leading(0).rsplit_once('\n') {
            Some((_, indentation)) if !root.items.is_empty() && !indentation.is_empty() => indentation,
            _ => "  ",
        };
        let close_colon = root.items.first().is_some_and(|item| {
            let between = item.key.as_ref().map(|key| &root.text[key.end..item.value.start]);
            between.is_some_and(|between| between.ends_with(':'))
        });
        Self {
            newline: if root.text.contains("\r\n") { "\r\n" } else { "\n" },
            step: step.to_owned(),
            colon: if close_colon { "" } else { " " },
        }
    }

    /// The text of a value.
    pub(super) fn write(&self, value: &Value, flow: &Flow) -> String {
        match value {
            Value::Object(members) => self.write_items(members, '{', '}', flow, |(key, value), flow| {
                self.member(key, value, flow)
            }),
            Value::Array(elements) => self.write_items(elements, '[', ']', flow, |value, flow| self.write(value, flow)),
            Value::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Value::Number(number) => number.to_string(),
        }
    }

    /// The text of a member.
    pub(super) fn member(&self, key: &str, value: &Value, flow: &Flow) -> String {
        format!("\"{key}\":{}{}", self.colon, self.write(value, flow))
    }

    fn write_items<T>(
        &self,
        items: &[T],
        open: char,
        close: char,
        flow: &Flow,
        write: impl Fn(&T, &Flow) -> String,
    ) -> String {
        let inner = match flow {
            Flow::OneLine => Flow::OneLine,
            Flow::Lines(base) => Flow::Lines(format!("{base}{}", self.step)),
        };
        let items: Vec<String> = items.iter().map(|item| write(item, &inner)).collect();
        let (before, between, after) = match (flow, &inner) {
            (Flow::Lines(base), Flow::Lines(inner)) => (
                format!("{}{inner}", self.newline),
                format!(",{}{inner}", self.newline),
                format!("{}{base}", self.newline),
            ),
            _ => (String::new(), format!(",{}", self.colon), String::new()),
        };
        format!("{open}{before}{}{after}{close}", items.join(&between))
    }
}
