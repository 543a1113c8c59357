//! Putting entries in.

use super::command::{HookEvent, HookProgram};
use super::document::{Container, is_blank};
use super::entries::{Hook, Hooks};
use super::error::SettingsError;
use super::layout::{Flow, Layout, Value};
use super::removal::{FILLED, WAS_BLANK, uninstall, without_doubles};

/// The text with one entry of ours in each event; `None` as text is an absent file.
///
/// Idempotent. Entries that are there keep their place and options and get the program's path; every byte that isn't part of an entry of
/// ours stays. [`uninstall`] gives the text back.
pub fn install(text: Option<&str>, program: &HookProgram) -> Result<String, SettingsError> {
    let Some(text) = text else {
        let form = Form::ALL[0];
        return add_missing("{}\n".into(), program, form);
    };
    if is_blank(text) {
        return add_missing(format!("{text}{{}}{WAS_BLANK}"), program, Form::ALL[0]);
    }
    let text = with_program(without_doubles(text)?, program)?;
    let wanted = uninstall(&text)?;
    let mut plainest = None;
    // A removal can't know by itself whether an empty container was there before. The plainest form is taken that gives back what was.
    for form in Form::ALL {
        let candidate = add_missing(text.clone(), program, form)?;
        if uninstall(&candidate)? == wanted {
            return Ok(candidate);
        }
        plainest.get_or_insert(candidate);
    }
    Ok(plainest.unwrap_or(text))
}

/// How entries are added.
#[derive(Debug, Clone, Copy)]
struct Form {
    order: [HookEvent; 2],
    fill: Fill,
}

/// How an empty container is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fill {
    /// As if it had not been there.
    Plainly,
    /// On one line, with a sign that it was there.
    Marked,
}

impl Form {
    const ALL: [Self; 3] = {
        let [start, end] = HookEvent::ALL;
        [
            Self {
                order: [start, end],
                fill: Fill::Plainly,
            },
            Self {
                order: [end, start],
                fill: Fill::Plainly,
            },
            Self {
                order: [start, end],
                fill: Fill::Marked,
            },
        ]
    };
}

/// Points each entry of ours to the program.
fn with_program(mut text: String, program: &HookProgram) -> Result<String, SettingsError> {
    for event in HookEvent::ALL {
        let wanted = program.command(event);
        let hooks = Hooks::of(&text)?;
        let Some(Hook {
            span,
            command: Some((place, command)),
            exec_form,
            ..
        }) = hooks.ours(event).next()
        else {
            continue;
        };
        let layout = Layout::of(&hooks.root);
        let (place, written) = if *exec_form {
            (span.clone(), layout.write(&entry(event, program), &Flow::OneLine))
        } else if *command == wanted {
            continue;
        } else {
            (place.clone(), layout.write(&Value::Text(wanted), &Flow::OneLine))
        };
        text.replace_range(place, &written);
    }
    Ok(text)
}

fn add_missing(mut text: String, program: &HookProgram, form: Form) -> Result<String, SettingsError> {
    for event in form.order {
        if let Some(added) = add(&text, event, program, form.fill)? {
            text = added;
        }
    }
    Ok(text)
}

/// The text with an entry for `event`, or `None` if it has one.
fn add(text: &str, event: HookEvent, program: &HookProgram, fill: Fill) -> Result<Option<String>, SettingsError> {
    let hooks = Hooks::of(text)?;
    if hooks.ours(event).next().is_some() {
        return Ok(None);
    }
    let layout = Layout::of(&hooks.root);
    let group = Value::Object(vec![("hooks", Value::Array(vec![entry(event, program)]))]);
    let insert = |container: &Container<'_>, key, value| insert(container, key, &value, &layout, fill);
    Ok(Some(if let Some(event) = hooks.event(event) {
        insert(&event.array, None, group)
    } else {
        let groups = Value::Array(vec![group]);
        if let Some((_, object)) = &hooks.object {
            insert(object, Some(event.key()), groups)
        } else {
            let object = Value::Object(vec![(event.key(), groups)]);
            insert(&hooks.root, Some("hooks"), object)
        }
    }))
}

fn entry(event: HookEvent, program: &HookProgram) -> Value {
    let mut fields = vec![
        ("type", Value::Text("command".into())),
        ("command", Value::Text(program.command(event))),
    ];
    fields.extend(event.timeout().map(|seconds| ("timeout", Value::Number(seconds))));
    Value::Object(fields)
}

/// The whole text with one more item at the end of a container.
fn insert(container: &Container<'_>, key: Option<&str>, value: &Value, layout: &Layout, fill: Fill) -> String {
    let text = container.text;
    let item = |flow: &Flow| match key {
        Some(key) => layout.member(key, value, flow),
        None => layout.write(value, flow),
    };
    let Some(last) = container.items.last() else {
        let interior = container.interior();
        let filled = match (fill, Flow::at(container)) {
            (Fill::Marked, _) => format!("{FILLED}{}{}", item(&Flow::OneLine), &text[interior.clone()]),
            (Fill::Plainly, Flow::OneLine) => item(&Flow::OneLine),
            (Fill::Plainly, Flow::Lines(base)) => {
                let (newline, inner) = (layout.newline, format!("{base}{}", layout.step));
                let item = item(&Flow::Lines(inner.clone()));
                format!("{newline}{inner}{item}{newline}{base}")
            }
        };
        return format!("{}{filled}{}", &text[..interior.start], &text[interior.end..]);
    };
    let leading = container.leading(container.items.len() - 1);
    let (leading, flow) = match leading.rsplit_once('\n') {
        Some(_) if is_one_line(&text[last.value.clone()]) => (leading, Flow::OneLine),
        Some((_, indentation)) => (leading, Flow::Lines(indentation.to_owned())),
        None if container.items.len() > 1 => (leading, Flow::OneLine),
        // With a single item the document has not shown yet what it puts between two.
        None => (layout.colon, Flow::OneLine),
    };
    let end = last.value.end;
    format!("{},{leading}{}{}", &text[..end], item(&flow), &text[end..])
}

/// Whether a neighbour shows that this place prefers one line: a group or list that fits on one.
fn is_one_line(neighbour: &str) -> bool {
    neighbour.starts_with(['{', '[']) && neighbour.len() > 2 && neighbour.contains("hooks") && !neighbour.contains('\n')
}
