//! What stands in the documentation as output is the program's own.
//!
//! Each page has a scene, a machine of its own. Its fenced blocks of the kind `console` are played there from top to bottom: each line that
//! begins with `$ ` is run by a shell, and what follows must be what comes of it (`play`), but for what differs from run to run (`masked`).
//! Tables that are made from the code's own lists stand between `<!-- output: NAME -->` and `<!-- end -->`. `cargo xtask generate` writes it all anew.

mod masked;
mod page;
mod play;
mod scene;
mod tables;

use play::play;
use scene::Scene;

/// Sets a scene.
type Setting = fn() -> Scene;

/// Every page that shows output, with the scene it is played on.
const PAGES: &[(&str, Setting)] = &[
    ("README.md", Scene::sample),
    ("docs/states.md", Scene::sample),
    ("docs/store.md", Scene::sample),
    ("docs/operations.md", Scene::sample),
    ("docs/search.md", Scene::sample),
    ("docs/table.md", Scene::sample),
    ("docs/exit-codes-and-json.md", Scene::sample),
    ("docs/hooks.md", Scene::bare),
    ("docs/configuration.md", Scene::bare),
    ("docs/doctor.md", Scene::troubled),
];

/// Plays a page on its scene.
#[track_caller]
fn played(name: &str) {
    let (page, scene) = PAGES.iter().find(|(page, _)| *page == name).unwrap();
    play(page, &scene());
}

#[test]
fn readme() {
    played("README.md");
}

#[test]
fn states() {
    played("docs/states.md");
}

#[test]
fn store() {
    played("docs/store.md");
}

#[test]
fn operations() {
    played("docs/operations.md");
}

#[test]
fn search() {
    played("docs/search.md");
}

#[test]
fn table() {
    played("docs/table.md");
}

#[test]
fn exit_codes_and_json() {
    played("docs/exit-codes-and-json.md");
}

#[test]
fn hooks() {
    played("docs/hooks.md");
}

#[test]
fn configuration() {
    played("docs/configuration.md");
}

#[test]
fn doctor() {
    played("docs/doctor.md");
}

#[test]
fn no_page_shows_output_that_nobody_checks() {
    let is_console = |fence: Option<&str>| fence.is_some_and(|kind| kind.starts_with("console"));
    for name in page::all() {
        let text = page::read(&name);
        let is_played = PAGES.iter().any(|(page, _)| *page == name);
        let mut fence: Option<&str> = None;
        for (number, line) in text.lines().enumerate() {
            let place = format!("{name}:{}", number + 1);
            if let Some(kind) = line.strip_prefix("```") {
                fence = if fence.is_some() { None } else { Some(kind) };
                assert!(!is_console(fence) || is_played, "{place}: the page has no scene");
            }
            let is_prompt = line.trim_start().starts_with("$ ");
            assert!(
                !is_prompt || is_console(fence),
                "{place}: only a block of the kind `console` is played"
            );
        }
        assert!(fence.is_none(), "{name}: a block has no end");
    }
}

#[test]
fn links_lead_somewhere() {
    for name in page::all() {
        let text = page::read(&name);
        let directory = page::path(&name).parent().unwrap().to_path_buf();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap();
            if file.is_empty() || target.contains("://") {
                continue;
            }
            assert!(directory.join(file).exists(), "{name}: `{target}` leads nowhere");
        }
    }
}
