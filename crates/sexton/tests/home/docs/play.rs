//! Playing a page. A block of the kind `console 80` is played on a terminal of so many columns.

use super::masked::masked;
use super::page;
use super::scene::Scene;

/// A command of a block, and the output that the page shows for it.
#[derive(Debug, Default)]
struct Step {
    /// As it stands on the page, with its prompt; more than one line if lines end with a backslash.
    typed: Vec<String>,
    shown: Vec<String>,
}

impl Step {
    /// The command without prompts.
    fn command(&self) -> String {
        let lines = self.typed.iter();
        let plain: Vec<&str> = lines.map(|line| line.strip_prefix("$ ").unwrap_or(line)).collect();
        plain.join("\n")
    }
}

/// Plays all blocks of the kind `console` of a page on one machine, and settles the page if anything but what differs from run to run is another.
#[track_caller]
pub(super) fn play(name: &str, scene: &Scene) {
    let _blessing = page::blessing();
    let text = page::read(name);
    let mut played = String::new();
    let mut lines = text.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        played.push_str(line);
        played.push('\n');
        let on_terminal = match line {
            "```console" => false,
            "```console 80" => true,
            _ => continue,
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        for step in steps(name, &block) {
            count += 1;
            let shown = step.shown.join("\n");
            let said = match on_terminal.then(|| scene.run_on_terminal(&step.command())) {
                None => scene.run(&step.command()),
                Some(Some(said)) => said,
                // Without a terminal to be had, what the page shows is not compared, but what it does is done.
                Some(None) => {
                    scene.run(&step.command());
                    shown.clone()
                }
            };
            let output = if masked(&said) == masked(&shown) { shown } else { said };
            for line in step.typed.iter().map(String::as_str).chain(output.lines()) {
                played.push_str(line);
                played.push('\n');
            }
        }
        played.push_str("```\n");
    }
    assert!(count > 0, "{name} shows no output; then it needs no scene");
    if played != text {
        page::settle(name, &played);
    }
}

#[track_caller]
fn steps(name: &str, block: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block {
        let goes_on = steps
            .last()
            .is_some_and(|step| step.shown.is_empty() && step.typed.last().is_some_and(|typed| typed.ends_with('\\')));
        if line.starts_with("$ ") {
            steps.push(Step::default());
        }
        let step = steps
            .last_mut()
            .unwrap_or_else(|| panic!("{name}: a block begins with output: {line}"));
        if line.starts_with("$ ") || goes_on {
            step.typed.push((*line).to_owned());
        } else {
            step.shown.push((*line).to_owned());
        }
    }
    steps
}
