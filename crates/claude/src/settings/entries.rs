//! Where our entries stand, and whose else.

use super::command::{HookEvent, our_program};
use super::document::{Container, Span, array, object, root, string};
use super::error::SettingsError;

/// The parts of a settings text that concern hooks.
#[derive(Debug)]
pub(super) struct Hooks<'t> {
    pub(super) root: Container<'t>,
    /// The value of `hooks`, with its position in the root.
    pub(super) object: Option<(usize, Container<'t>)>,
    /// The value of each of our events, in the order of [`HookEvent::ALL`].
    pub(super) events: [Option<Event<'t>>; 2],
}

/// The groups of one event.
#[derive(Debug)]
pub(super) struct Event<'t> {
    /// Its position in `hooks`.
    pub(super) index: usize,
    pub(super) array: Container<'t>,
    pub(super) groups: Vec<Group<'t>>,
}

/// One group: an optional matcher and hooks.
#[derive(Debug)]
pub(super) struct Group<'t> {
    /// Whether it holds nothing but `hooks`, as ours do.
    pub(super) only_hooks: bool,
    /// The list below `hooks`; `None` if the group has none that we understand.
    pub(super) list: Option<Container<'t>>,
    /// What each hook in the list is.
    pub(super) hooks: Vec<Hook>,
}

/// One hook.
#[derive(Debug)]
pub(super) struct Hook {
    pub(super) span: Span,
    /// Its command, where it has one.
    pub(super) command: Option<(Span, String)>,
    /// Whether it has `args`, and runs without a shell.
    pub(super) exec_form: bool,
    /// The program, if the hook is ours.
    pub(super) our_program: Option<String>,
}

impl<'t> Hooks<'t> {
    /// Reads a text; what stands where our entries go must be of the kinds that Claude Code knows.
    pub(super) fn of(text: &'t str) -> Result<Self, SettingsError> {
        let root = root(text)?;
        let Some(index) = root.index_of("hooks")? else {
            let events = [None, None];
            let object = None;
            return Ok(Self { root, object, events });
        };
        let hooks = object(text, root.items[index].value.clone(), || "`hooks`".into())?;
        let [start, end] = HookEvent::ALL;
        let events = [event(&hooks, start)?, event(&hooks, end)?];
        let object = Some((index, hooks));
        Ok(Self { root, object, events })
    }

    /// The groups of an event.
    pub(super) fn event(&self, event: HookEvent) -> Option<&Event<'t>> {
        self.events[event as usize].as_ref()
    }

    /// Our hooks of an event.
    pub(super) fn ours(&self, event: HookEvent) -> impl Iterator<Item = &Hook> {
        self.all(event).filter(|hook| hook.our_program.is_some())
    }

    /// All hooks of an event.
    pub(super) fn all(&self, event: HookEvent) -> impl Iterator<Item = &Hook> {
        let groups = self.event(event).into_iter().flat_map(|event| &event.groups);
        groups.flat_map(|group| &group.hooks)
    }
}

fn event<'t>(hooks: &Container<'t>, event: HookEvent) -> Result<Option<Event<'t>>, SettingsError> {
    let Some(index) = hooks.index_of(event.key())? else {
        return Ok(None);
    };
    let named = || format!("`hooks.{}`", event.key());
    let array = array(hooks.text, hooks.items[index].value.clone(), named)?;
    let groups = array.items.iter().map(|item| group(hooks.text, &item.value, event));
    let groups = groups.collect::<Result<_, _>>()?;
    Ok(Some(Event { index, array, groups }))
}

/// A group that isn't one as we know it is someone else's, and empty to us.
fn group<'t>(text: &'t str, span: &Span, event: HookEvent) -> Result<Group<'t>, SettingsError> {
    let foreign = Group {
        only_hooks: false,
        list: None,
        hooks: Vec::new(),
    };
    let Ok(group) = object(text, span.clone(), String::new) else {
        return Ok(foreign);
    };
    let Some(Ok(list)) = group.find("hooks")?.map(|span| array(text, span, String::new)) else {
        return Ok(foreign);
    };
    let hooks = list.items.iter().map(|item| hook(text, &item.value, event));
    Ok(Group {
        only_hooks: group.items.len() == 1,
        hooks: hooks.collect::<Result<_, _>>()?,
        list: Some(list),
    })
}

fn hook(text: &str, span: &Span, event: HookEvent) -> Result<Hook, SettingsError> {
    let mut hook = Hook {
        span: span.clone(),
        command: None,
        exec_form: false,
        our_program: None,
    };
    let Ok(fields) = object(text, span.clone(), String::new) else {
        return Ok(hook);
    };
    let Some(place) = fields.find("command")? else {
        return Ok(hook);
    };
    let Some(command) = string(text, &place) else {
        return Ok(hook);
    };
    hook.our_program = our_program(&command, event);
    if let Some(arguments) = fields.find("args")? {
        hook.exec_form = true;
        hook.our_program = exec_program(text, arguments, &command, event);
    }
    hook.command = Some((place, command));
    Ok(hook)
}

/// Our program in a hook that is run without a shell.
fn exec_program(text: &str, arguments: Span, command: &str, event: HookEvent) -> Option<String> {
    let arguments = array(text, arguments, String::new).ok()?;
    let words: Vec<String> = arguments
        .items
        .iter()
        .map_while(|item| string(text, &item.value))
        .collect();
    let quoted = format!("'{}' {}", command.replace('\'', r"'\''"), words.join(" "));
    our_program(&quoted, event)
}
