//! `config.toml`.

use sexton::configuration::{Configuration, Options, annotated, template};
use sexton_sys::Environment;

/// What was understood is shown as a file that means the same; whatever it was, there are a configuration and a template.
pub fn configuration(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let environment = Environment::from_variables([("HOME", "/home/a")]).with_current_directory("/work");
    let resolve = |text: &str| Configuration::resolve(text, &environment, &Options::default());
    let read = resolve(text);
    let lines = text.lines().count().max(1) + 1;
    for problem in &read.problems {
        assert!((1..=lines).contains(&problem.line) && problem.column >= 1, "{problem}");
    }
    let shown = annotated(&read.entries);
    let again = resolve(&shown);
    assert!(again.problems.is_empty(), "{:?}: {shown}", again.problems);
    for (one, other) in read.entries.iter().zip(&again.entries) {
        assert_eq!((one.name, &one.value), (other.name, &other.value), "{shown}");
    }
    let blank = resolve(&template(&read.entries));
    assert!(blank.problems.is_empty(), "{:?}", blank.problems);
}
