//! Which key means what: one list, from which keys are understood and from which footer and help are written.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sexton_register::MarkState;

use super::action::Action;
use super::model::{Edit, Motion};

/// Where a key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// In the table.
    Table,
    /// On a session's details.
    Details,
    /// On its events.
    Events,
    /// In its conversation.
    Transcript,
    /// On the page of keys.
    Help,
    /// Before a question.
    Question,
    /// While a mark is chosen.
    Mark,
    /// While typing.
    Typing,
}

/// One meaning and the keys that have it.
#[derive(Debug)]
pub struct Binding {
    /// Where.
    pub modes: &'static [Mode],
    /// Any of these.
    pub keys: &'static [Key],
    /// What it means.
    pub action: Action,
    /// The keys, for people.
    pub shown: &'static str,
    /// One or two words for the footer; empty if it isn't worth a place there.
    pub short: &'static str,
    /// A few words for the help; empty if another line says it.
    pub long: &'static str,
}

/// A key, and whether Control is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(KeyCode, bool);

const fn char(character: char) -> Key {
    Key(KeyCode::Char(character), false)
}

const fn control(character: char) -> Key {
    Key(KeyCode::Char(character), true)
}

const fn key(code: KeyCode) -> Key {
    Key(code, false)
}

const fn bind(
    modes: &'static [Mode],
    keys: &'static [Key],
    action: Action,
    [shown, short, long]: [&'static str; 3],
) -> Binding {
    Binding {
        modes,
        keys,
        action,
        shown,
        short,
        long,
    }
}

const TABLE: &[Mode] = &[Mode::Table];
const SESSION: &[Mode] = &[Mode::Table, Mode::Details];
const PAGES: &[Mode] = &[Mode::Details, Mode::Events, Mode::Transcript, Mode::Help];
const READING: &[Mode] = &[Mode::Transcript];
const QUESTION: &[Mode] = &[Mode::Question];
const MARK: &[Mode] = &[Mode::Mark];
const MOVING: &[Mode] = &[
    Mode::Table,
    Mode::Details,
    Mode::Events,
    Mode::Transcript,
    Mode::Help,
    Mode::Question,
];
const ANYWHERE: &[Mode] = &[
    Mode::Table,
    Mode::Details,
    Mode::Events,
    Mode::Transcript,
    Mode::Help,
    Mode::Question,
    Mode::Mark,
];
const HELPED: &[Mode] = &[Mode::Table, Mode::Details, Mode::Events, Mode::Transcript, Mode::Help];

/// Every binding, in the order of footer and help.
#[rustfmt::skip]
pub static BINDINGS: &[Binding] = &[
    bind(QUESTION, &[char('y'), char('Y')], Action::Accept, ["y", "yes", ""]),
    bind(QUESTION, &[char('n'), char('N'), char('q'), key(KeyCode::Esc)], Action::Back, ["n", "no", ""]),
    bind(MARK, &[char('h')], Action::SetMark(Some(MarkState::OnHold)), ["h", "on-hold", ""]),
    bind(MARK, &[char('b')], Action::SetMark(Some(MarkState::Blocked)), ["b", "blocked", ""]),
    bind(MARK, &[char('d')], Action::SetMark(Some(MarkState::Done)), ["d", "done", ""]),
    bind(MARK, &[char('c')], Action::SetMark(None), ["c", "clear", ""]),
    bind(MARK, &[char('n')], Action::Note, ["n", "with a note", ""]),
    bind(MARK, &[key(KeyCode::Esc), char('q'), char('m')], Action::Back, ["Esc", "", ""]),
    bind(PAGES, &[char('q')], Action::Quit, ["q", "back", ""]),
    bind(TABLE, &[key(KeyCode::Enter)], Action::Details, ["Enter", "details", "everything known about the session"]),
    bind(SESSION, &[char('r')], Action::Resume, ["r", "resume", "run the client on it, and come back here afterwards"]),
    bind(SESSION, &[char('m')], Action::Mark, ["m", "mark", "mark it: then h on-hold, b blocked, d done, c clear; n first adds a note"]),
    bind(TABLE, &[char('/')], Action::Filter, ["/", "find", "narrow the table as you type: name, title, note, directory, state, id; Tab searches in what was said"]),
    bind(SESSION, &[char('o')], Action::Read, ["o", "read", "the session's conversation"]),
    bind(TABLE, &[char('a')], Action::ToggleAll, ["a", "all", "show finished sessions, too; again: also what was put away"]),
    bind(SESSION, &[char('e')], Action::Events, ["e", "events", "the session's events in the register"]),
    bind(TABLE, &[char(' ')], Action::Select, ["Space", "select", "select it; m, A and D then act on all that are selected"]),
    bind(SESSION, &[char('n')], Action::Note, ["n", "note", "write a note to the session's mark"]),
    bind(SESSION, &[char('A')], Action::Archive, ["A", "archive", "move it out of Claude Code's reach, which deletes old sessions"]),
    bind(SESSION, &[char('D')], Action::Delete, ["D", "delete", "move it into the trash, with all that belongs to it (shows the plan and asks)"]),
    bind(TABLE, &[char('u')], Action::Undo, ["u", "undo", "take back the last archive or delete, and again the one before (asks)"]),
    bind(TABLE, &[char('p')], Action::Prune, ["p", "prune", "remove registry files that dead processes left behind (asks)"]),
    bind(READING, &[char('/')], Action::Find, ["/", "find", "find text in the conversation"]),
    bind(READING, &[char('n')], Action::FindNext, ["n", "next", "the next place that has it"]),
    bind(READING, &[char('N')], Action::FindPrevious, ["N", "previous", "the one before"]),
    bind(MOVING, &[key(KeyCode::Up), char('k'), control('p')], Action::Move(Motion::Up), ["↑ k", "", "up"]),
    bind(MOVING, &[key(KeyCode::Down), char('j'), control('n')], Action::Move(Motion::Down), ["↓ j", "", "down"]),
    bind(MOVING, &[key(KeyCode::PageUp), control('b'), control('u')], Action::Move(Motion::PageUp), ["PgUp", "", "a screen up"]),
    bind(MOVING, &[key(KeyCode::PageDown), control('f'), control('d')], Action::Move(Motion::PageDown), ["PgDn", "", "a screen down"]),
    bind(MOVING, &[char('g'), key(KeyCode::Home)], Action::Move(Motion::First), ["g Home", "", "to the first"]),
    bind(MOVING, &[char('G'), key(KeyCode::End)], Action::Move(Motion::Last), ["G End", "", "to the last"]),
    bind(PAGES, &[char(' ')], Action::Move(Motion::PageDown), ["Space", "", ""]),
    bind(TABLE, &[key(KeyCode::Left)], Action::PanLeft, ["←", "", "columns to the left"]),
    bind(TABLE, &[key(KeyCode::Right)], Action::PanRight, ["→", "", "columns to the right, where they don't all fit"]),
    bind(TABLE, &[char('R'), key(KeyCode::F(5))], Action::Refresh, ["R", "", "look at everything again (it does so by itself)"]),
    bind(ANYWHERE, &[control('l')], Action::Refresh, ["Ctrl+L", "", ""]),
    bind(TABLE, &[char('!')], Action::Problems, ["!", "", "files that can't be read, where there are any"]),
    bind(HELPED, &[char('?')], Action::Help, ["?", "keys", "these keys"]),
    bind(TABLE, &[key(KeyCode::Esc)], Action::Back, ["Esc", "", "clear the filter, then the selection, then leave"]),
    bind(PAGES, &[key(KeyCode::Esc), key(KeyCode::Backspace), key(KeyCode::Left)], Action::Back, ["Esc", "", ""]),
    bind(TABLE, &[char('q')], Action::Quit, ["q", "quit", "leave; on a page, go back"]),
    bind(ANYWHERE, &[control('z')], Action::Suspend, ["Ctrl+Z", "", "stop; the shell's `fg` comes back here"]),
    bind(ANYWHERE, &[control('c')], Action::Leave, ["Ctrl+C", "", ""]),
];

/// What `event` means in `mode`.
#[must_use]
pub fn understand(mode: Mode, event: KeyEvent) -> Option<Action> {
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    if mode == Mode::Typing {
        return typing(event.code, control, event.modifiers.contains(KeyModifiers::ALT));
    }
    let pressed = Key(event.code, control);
    let binding = in_mode(mode).find(|binding| binding.keys.contains(&pressed))?;
    Some(binding.action.clone())
}

/// The bindings of `mode`.
pub fn in_mode(mode: Mode) -> impl Iterator<Item = &'static Binding> {
    BINDINGS.iter().filter(move |binding| binding.modes.contains(&mode))
}

/// Keys while typing, as a shell has them; up and down still move the cursor of the table.
fn typing(code: KeyCode, control: bool, alt: bool) -> Option<Action> {
    Some(match code {
        KeyCode::Char('c') if control => Action::Back,
        KeyCode::Char('w') if control => Action::Type(Edit::DeleteWord),
        KeyCode::Char('u') if control => Action::Type(Edit::DeleteToStart),
        KeyCode::Char('a') if control => Action::Type(Edit::Home),
        KeyCode::Char('e') if control => Action::Type(Edit::End),
        KeyCode::Char('b') if control => Action::Type(Edit::Left),
        KeyCode::Char('f') if control => Action::Type(Edit::Right),
        KeyCode::Char('h') if control => Action::Type(Edit::Backspace),
        KeyCode::Char('p') if control => Action::Move(Motion::Up),
        KeyCode::Char('n') if control => Action::Move(Motion::Down),
        KeyCode::Char('z') if control => Action::Suspend,
        KeyCode::Backspace if control || alt => Action::Type(Edit::DeleteWord),
        KeyCode::Char(character) if !control && !alt => Action::Type(Edit::Insert(character.into())),
        KeyCode::Backspace => Action::Type(Edit::Backspace),
        KeyCode::Delete => Action::Type(Edit::Delete),
        KeyCode::Left => Action::Type(Edit::Left),
        KeyCode::Right => Action::Type(Edit::Right),
        KeyCode::Home => Action::Type(Edit::Home),
        KeyCode::End => Action::Type(Edit::End),
        KeyCode::Up => Action::Move(Motion::Up),
        KeyCode::Down => Action::Move(Motion::Down),
        KeyCode::PageUp => Action::Move(Motion::PageUp),
        KeyCode::PageDown => Action::Move(Motion::PageDown),
        KeyCode::Tab => Action::SwitchScope,
        KeyCode::Enter => Action::Accept,
        KeyCode::Esc => Action::Back,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_mode() {
        for mode in ANYWHERE {
            let mut seen: Vec<Key> = Vec::new();
            for binding in in_mode(*mode) {
                for key in binding.keys {
                    assert!(!seen.contains(key), "{key:?} twice in {mode:?}");
                    seen.push(*key);
                }
            }
        }
    }

    #[test]
    fn while_typing_letters_are_letters() {
        let press = |code, modifiers| understand(Mode::Typing, KeyEvent::new(code, modifiers));
        let typed = press(KeyCode::Char('q'), KeyModifiers::NONE);
        assert_eq!(typed, Some(Action::Type(Edit::Insert("q".to_owned()))));
        let shifted = press(KeyCode::Char('Q'), KeyModifiers::SHIFT);
        assert_eq!(shifted, Some(Action::Type(Edit::Insert("Q".to_owned()))));
        assert_eq!(press(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Action::Back));
    }
}
