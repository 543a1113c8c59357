//! What a settings text says about our hooks.

use std::path::PathBuf;

use super::command::{HookEvent, is_claudewheels};
use super::document::{Container, is_blank, object, string};
use super::entries::Hooks;
use super::error::SettingsError;

/// What stands in one settings text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// The programs of our entries for the start; more than one records each session more than once.
    pub session_start: Vec<PathBuf>,
    /// The programs of our entries for the end.
    pub session_end: Vec<PathBuf>,
    /// Commands of claudewheel's, which record each session a second time.
    pub claudewheel: Vec<String>,
    /// An enabled plugin of ours, which records each session a second time.
    pub plugin: Option<String>,
    /// Whether `disableAllHooks` is set: then no hook runs.
    pub disabled: bool,
}

impl Status {
    /// Reads a text; an absent file has nothing in it, nor has a blank one.
    pub fn of(text: Option<&str>) -> Result<Self, SettingsError> {
        let Some(text) = text.filter(|text| !is_blank(text)) else {
            return Ok(Self::default());
        };
        let hooks = Hooks::of(text)?;
        let programs = |event| {
            let ours = hooks.ours(event).filter_map(|hook| hook.our_program.as_ref());
            ours.map(PathBuf::from).collect()
        };
        let claudewheel = HookEvent::ALL.into_iter().flat_map(|event| {
            let commands = hooks.all(event).filter_map(|hook| hook.command.as_ref());
            commands.filter(move |(_, command)| is_claudewheels(command, event))
        });
        let disabled = hooks.root.last("disableAllHooks");
        Ok(Self {
            session_start: programs(HookEvent::SessionStart),
            session_end: programs(HookEvent::SessionEnd),
            claudewheel: claudewheel.map(|(_, command)| command.clone()).collect(),
            plugin: plugin(&hooks.root),
            disabled: disabled.is_some_and(|value| &text[value] == "true"),
        })
    }

    /// Whether both entries are there, once each.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.session_start.len() == 1 && self.session_end.len() == 1
    }

    /// Whether no entry is there.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.session_start.is_empty() && self.session_end.is_empty()
    }

    /// The programs that our entries name, each once.
    #[must_use]
    pub fn programs(&self) -> Vec<&PathBuf> {
        let mut programs: Vec<_> = self.session_start.iter().chain(&self.session_end).collect();
        programs.sort();
        programs.dedup();
        programs
    }
}

/// The enabled plugin that is called `sexton`, from whatever marketplace.
fn plugin(root: &Container<'_>) -> Option<String> {
    let plugins = object(root.text, root.last("enabledPlugins")?, String::new).ok()?;
    let enabled = plugins
        .items
        .iter()
        .filter(|item| &root.text[item.value.clone()] == "true");
    let mut names = enabled.filter_map(|item| string(root.text, item.key.as_ref()?));
    names.find(|name| name == "sexton" || name.starts_with("sexton@"))
}
