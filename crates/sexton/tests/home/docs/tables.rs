//! Tables that are made from the code's own lists.

use sexton::configuration::variables::VARIABLES;
use sexton::render::Styles;
use sexton::roll::{Evidence, Group};
use sexton_register::State;

use super::page;

/// Compares the table `name` of a page with these rows, of which the first is the header.
#[track_caller]
fn assert_table(page: &str, name: &str, rows: &[Vec<String>]) {
    let _blessing = page::blessing();
    let content = page::read(page);
    let begin = format!("<!-- output: {name} -->\n");
    let start = content
        .find(&begin)
        .unwrap_or_else(|| panic!("{page} has no table `{name}`"))
        + begin.len();
    let end = start + content[start..].find("<!-- end -->").unwrap();
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let header = format!("{}|{}\n", line(&rows[0]), "---|".repeat(rows[0].len()));
    let body: String = rows[1..].iter().map(line).collect();
    let table = format!("\n{header}{body}\n");
    if content[start..end] != *table {
        page::settle(page, &format!("{}{table}{}", &content[..start], &content[end..]));
    }
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).into()
}

#[test]
fn the_variables() {
    let mut rows = vec![row(["variable", "what it does"])];
    rows.extend(
        VARIABLES
            .iter()
            .map(|variable| row([&format!("`{}`", variable.name), variable.about])),
    );
    assert_table("docs/configuration.md", "variables", &rows);
}

#[test]
fn the_states() {
    let mut rows = vec![row(["state", "means", "shown as", "colour"])];
    rows.extend(State::ALL.iter().map(|state| {
        let group = match Group::of(*state) {
            Group::Live => "live",
            Group::LooseEnd => "loose end",
            Group::Finished => "finished",
        };
        row([
            &format!("`{state}`"),
            sexton::states::meaning(*state),
            group,
            colour(*state),
        ])
    }));
    assert_table("docs/states.md", "states", &rows);
}

/// The colour of a state, in a word.
fn colour(state: State) -> &'static str {
    use anstyle::{AnsiColor, Color};
    match Styles::new(true).state(state).get_fg_color() {
        Some(Color::Ansi(AnsiColor::Green)) => "green",
        Some(Color::Ansi(AnsiColor::Yellow)) => "yellow, bold",
        Some(Color::Ansi(AnsiColor::Red)) => "red",
        Some(Color::Ansi(AnsiColor::Blue)) => "blue",
        Some(Color::Ansi(AnsiColor::Cyan)) => "cyan",
        None => "dim",
        Some(other) => panic!("{state} has the colour {other:?}, which the page has no word for"),
    }
}

#[test]
fn the_evidence() {
    let mut rows = vec![row(["known by", "means"])];
    for evidence in Evidence::ALL {
        // The same word says something else of another state.
        let mut sentences: Vec<&str> = State::ALL.map(|state| evidence.sentence(state)).into();
        sentences.sort_unstable();
        sentences.dedup();
        rows.push(row([&format!("`{evidence}`"), &sentences.join("; or: ")]));
    }
    assert_table("docs/states.md", "evidence", &rows);
}
