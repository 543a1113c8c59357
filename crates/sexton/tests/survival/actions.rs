//! Every command that changes something, with what it may do to whom.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use sexton_testkit::{Object, Random, register};

use crate::machine::{Machine, PROBE, SEXTON};
use crate::observed::{Home, Observed};

/// A command to be run and, perhaps, killed.
#[derive(Debug, Default)]
pub(crate) struct Action {
    /// What it is called in reports.
    pub(crate) name: &'static str,
    pub(crate) arguments: Vec<String>,
    pub(crate) input: Vec<u8>,
    /// The sessions that may move, and where to; none is wherever their journal says.
    pub(crate) moved: Vec<usize>,
    pub(crate) to: Option<Home>,
    /// Whether it writes an event of a person's.
    pub(crate) writes_event: bool,
}

const NAMES: [&str; 21] = [
    "mark",
    "name",
    "hook start",
    "hook end",
    "register append",
    "register repair",
    "list",
    "search",
    "sweep",
    "prune",
    "archive",
    "delete",
    "delete --purge",
    "restore",
    "undo",
    "trash empty",
    "tombstone",
    "routine",
    "keep",
    "hooks",
    "doctor --fix",
];

impl Action {
    /// Chooses one, and arranges what it needs.
    pub(crate) fn choose(machine: &mut Machine, random: &mut Random) -> Self {
        while Observed::of(machine).at(Home::Projects).len() < 5 {
            machine.plant();
        }
        let before = Observed::of(machine);
        // What moves is where most can go wrong.
        let name = if random.percent(50) {
            NAMES[10 + random.below(6)]
        } else {
            NAMES[random.below(NAMES.len())]
        };
        let here = before.at(Home::Projects);
        let one = here[random.below(here.len())];
        let id = machine.sessions[one].id.clone();
        let of = |numbers: &[usize]| -> Vec<String> {
            numbers
                .iter()
                .map(|number| machine.sessions[*number].id.clone())
                .collect()
        };
        let few: Vec<usize> = here.iter().copied().take(1 + random.below(4)).collect();
        let action = |arguments: &[&str]| Self {
            name,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            ..Self::default()
        };
        let on_sessions = |arguments: &[&str], moved: Vec<usize>, to| {
            let mut action = action(arguments);
            action.arguments.extend(of(&moved));
            Self { moved, to, ..action }
        };
        match name {
            "mark" => action(&[
                "mark",
                &id,
                ["on-hold", "blocked", "done"][random.below(3)],
                "--note",
                "later",
            ])
            .event(),
            "name" => action(&["name", &id, &format!("name {}", random.below(1000))]).event(),
            "hook start" => action(&["hook", "session-start"]).with_input(payload(&id, "SessionStart")),
            "hook end" => action(&["hook", "session-end"]).with_input(payload(&id, "SessionEnd")),
            "register append" => {
                let mark = Object::new()
                    .text("session", &id)
                    .text("source", "user")
                    .text("kind", "mark");
                action(&["register", "append"])
                    .with_input(mark.text("state", "done").raw("note", "null"))
                    .event()
            }
            "register repair" => {
                let file = register::file(&machine.env.register_dir(), &id);
                let mut append = fs::OpenOptions::new().append(true).open(&file).unwrap();
                writeln!(append, "damaged {}", random.next()).unwrap();
                action(&["register", "repair", file.to_str().unwrap()])
            }
            "search" => action(&["search", crate::machine::WORD]),
            "list" | "sweep" | "prune" | "doctor --fix" => {
                machine.plant_ghost();
                let arguments: Vec<&str> = name.split(' ').collect();
                let moved = (0..machine.sessions.len()).collect();
                let mut action = Self {
                    name,
                    arguments: arguments.iter().map(ToString::to_string).collect(),
                    ..Self::default()
                };
                if name == "doctor --fix" {
                    action.moved = moved;
                }
                action
            }
            "archive" => on_sessions(&["archive"], few, Some(Home::Archive)),
            "delete" => on_sessions(&["delete", "--yes", "--yes-most"], few, Some(Home::Trash)),
            "delete --purge" => on_sessions(&["delete", "--purge", "--yes", "--yes-most"], few, Some(Home::Gone)),
            "restore" => {
                let away = away(machine, &before, one, random);
                match away.get(random.below(away.len().max(1))) {
                    Some(number) => on_sessions(&["restore"], vec![*number], Some(Home::Projects)),
                    None => action(&["undo"]).moving_any(machine),
                }
            }
            "undo" => action(&["undo"]).moving_any(machine),
            "trash empty" => {
                let moved = before.at(Home::Trash);
                Self {
                    moved,
                    to: Some(Home::Gone),
                    ..action(&["trash", "empty", "--all", "--yes"])
                }
            }
            "tombstone" => action(&["tombstone", ["add", "lift"][random.below(2)], PROBE]),
            "routine" => action(&["routine", &id, ["yes", "no", "auto"][random.below(3)]]),
            "keep" => action(&["keep", ["add", "drop"][random.below(2)], &id]),
            _ => action(&["hooks", ["install", "uninstall"][random.below(2)]]),
        }
    }

    fn event(self) -> Self {
        Self {
            writes_event: true,
            ..self
        }
    }

    fn with_input(self, input: Object) -> Self {
        Self {
            input: input.build().into_bytes(),
            ..self
        }
    }

    fn moving_any(self, machine: &Machine) -> Self {
        Self {
            moved: (0..machine.sessions.len()).collect(),
            ..self
        }
    }

    /// The command, with its input ready to be read.
    pub(crate) fn command(&self, machine: &Machine) -> std::process::Command {
        let mut command = machine.env.command(SEXTON);
        command
            .args(&self.arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if !self.input.is_empty() {
            let path = machine.env.root().join("tmp/input");
            fs::write(&path, &self.input).unwrap();
            command.stdin(fs::File::open(path).unwrap());
        }
        command
    }
}

/// The sessions that can come back. Those that only the vault has go first; some get there by being swept now.
fn away(machine: &Machine, before: &Observed, one: usize, random: &mut Random) -> Vec<usize> {
    if random.percent(50) && machine.sweep(one) {
        return vec![one];
    }
    match before.at(Home::Vault) {
        swept if swept.is_empty() => [before.at(Home::Trash), before.at(Home::Archive)].concat(),
        swept => swept,
    }
}

fn payload(id: &str, event: &str) -> Object {
    let payload = Object::new()
        .text("session_id", id)
        .text("transcript_path", "/home/dev/t.jsonl");
    let payload = payload.text("cwd", "/home/dev/sample").text("hook_event_name", event);
    payload.text("source", "resume").text("reason", "other")
}
