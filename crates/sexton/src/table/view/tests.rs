use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use sexton_register::State;

use super::draw;
use crate::render::style::Styles;
use crate::render::{Cell, width};
use crate::roll::Disposal;
use crate::table::action::{Action, Job, Request};
use crate::table::keys::understand;
use crate::table::model::{Edit, Found, Model, Motion, News, Notice, PageKind, PageLine, Place, TextSearch, Window};
use crate::table::testing::{NOW_MS, model, news, row, session, some_rows};

fn buffer(model: &Model) -> Buffer {
    let (columns, rows) = (model.screen.columns as u16, model.screen.rows as u16);
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(model, NOW_MS, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// The screen as text, without blanks at the ends of lines.
fn screen(model: &Model) -> String {
    let buffer = buffer(model);
    let area = buffer.area;
    let mut text = String::new();
    for y in 0..area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += (width(symbol) as u16).max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Presses keys; `\r` is Enter, `\x1b` Escape.
fn press(model: &mut Model, keys: &str) -> Vec<Request> {
    let mut requests = Vec::new();
    for key in keys.chars() {
        let code = match key {
            '\r' => KeyCode::Enter,
            '\u{1b}' => KeyCode::Esc,
            '\t' => KeyCode::Tab,
            other => KeyCode::Char(other),
        };
        if let Some(action) = understand(model.mode(), KeyEvent::new(code, KeyModifiers::NONE)) {
            requests.extend(model.update(action));
        }
    }
    requests
}

#[test]
fn the_table_at_80_columns() {
    insta::assert_snapshot!(screen(&model(some_rows(), 80, 16)));
}

#[test]
fn the_table_at_40_columns_and_10_rows() {
    insta::assert_snapshot!(screen(&model(some_rows(), 40, 10)));
}

#[test]
fn the_table_at_160_columns_with_everything() {
    let mut model = model(some_rows(), 160, 20);
    press(&mut model, "a");
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn scrolled_columns_keep_the_name_and_end_with_the_last_one() {
    let mut model = model(some_rows(), 60, 10);
    let mut screens = String::new();
    for _ in 0..8 {
        model.update(Action::PanRight);
        screens = screen(&model);
    }
    insta::assert_snapshot!(screens);
    for _ in 0..8 {
        model.update(Action::PanLeft);
    }
    assert_eq!(model.pan, 0);
}

#[test]
fn a_filter_finds_what_is_hidden_and_the_best_match_is_first() {
    let mut model = model(some_rows(), 80, 12);
    press(&mut model, "G/rel");
    insta::assert_snapshot!(screen(&model));
    assert_eq!(model.cursor, Some(session(7)));
    press(&mut model, "\r");
    insta::assert_snapshot!("filter_kept", screen(&model));
    press(&mut model, "\u{1b}");
    assert_eq!(model.query, "");
}

#[test]
fn a_filter_finds_notes() {
    let mut model = model(some_rows(), 120, 12);
    press(&mut model, "/'after the release");
    let shown = screen(&model);
    assert!(shown.contains("blocked") || shown.contains("on-hold"), "{shown}");
    assert!(!shown.contains("parser-rewrite"), "{shown}");
}

fn place() -> Place {
    Place {
        path: PathBuf::from("/p/8.jsonl"),
        line: 12,
    }
}

#[test]
fn what_was_said_is_searched_and_shown_beside_its_session() {
    let mut model = model(some_rows(), 80, 10);
    let requests = press(&mut model, "/retry\t");
    let jobs = [Job::Look { thorough: true }, Job::Search("retry".to_owned())];
    assert_eq!(requests, jobs.map(Request::Job));
    insta::assert_snapshot!("search_asked", screen(&model));
    let answer = |query: &str| TextSearch {
        query: query.to_owned(),
        hits: [4, 8]
            .map(|number| Found {
                session: session(number),
                place: (number == 8).then(place),
                snippet: vec![
                    Cell::from("…is the "),
                    Cell::from("retry"),
                    Cell::from(" policy sound?"),
                ],
            })
            .into(),
        total: 2,
        note: None,
    };
    model.take(News::Found(answer("older")));
    assert!(screen(&model).contains("Searching"), "an answer to something else");
    model.take(News::Found(answer("retry")));
    insta::assert_snapshot!("search_answered", screen(&model));
    assert_eq!(model.cursor, Some(session(4)));
    press(&mut model, "\r");
    press(&mut model, "j");
    assert_eq!(model.cursor, Some(session(8)), "snippets are passed over");
    let requests = press(&mut model, "o");
    assert_eq!(requests, [Job::Read(session(8), Some(place())).into()]);
    assert_eq!(model.pages[0].find, "retry");
    press(&mut model, "q\u{1b}");
    assert!(screen(&model).contains("live (3)"));
}

#[test]
fn selected_sessions_are_marked_together_with_a_note() {
    let mut model = model(some_rows(), 80, 14);
    press(&mut model, "  m");
    insta::assert_snapshot!("mark_menu", screen(&model));
    press(&mut model, "nlater on");
    insta::assert_snapshot!("mark_note", screen(&model).lines().last().unwrap());
    press(&mut model, "\r");
    insta::assert_snapshot!("mark_menu_with_note", screen(&model).lines().last().unwrap());
    let requests = press(&mut model, "h");
    let job = Job::Mark {
        sessions: vec![session(1), session(2)],
        state: Some(sexton_register::MarkState::OnHold),
        note: Some("later on".to_owned()),
    };
    assert_eq!(requests, [Request::Job(job)]);
    assert!(model.selected.is_empty());
}

#[test]
fn a_note_belongs_to_the_mark_in_force() {
    let mut model = model(some_rows(), 80, 14);
    press(&mut model, "n");
    insta::assert_snapshot!("note_without_mark", screen(&model).lines().last().unwrap());
    press(&mut model, "jjjjn, and then some\r");
    let row = some_rows().remove(4);
    assert_eq!(model.cursor, Some(row.session));
    let requests = press(&mut model, "n!\r");
    let job = Job::Mark {
        sessions: vec![row.session],
        state: Some(sexton_register::MarkState::Blocked),
        note: Some("after the release!".to_owned()),
    };
    assert_eq!(requests, [Request::Job(job)]);
}

#[test]
fn pages_are_scrolled_and_closed() {
    let mut model = model(some_rows(), 60, 10);
    assert_eq!(press(&mut model, "\r"), [Request::Job(Job::Details(session(1)))]);
    insta::assert_snapshot!("page_before_it_is_read", screen(&model));
    let line = |text: &str| PageLine::new(vec![Cell::from("label  "), Cell::from(text)]).hanging(7);
    let long = "a value that is so long that it has to be broken into rows of its own";
    let lines: Vec<PageLine> = (0..9)
        .map(|number| if number == 2 { line(long) } else { line("value") })
        .collect();
    model.take(News::Page(PageKind::Details(session(1)), lines));
    insta::assert_snapshot!("page", screen(&model));
    press(&mut model, "G");
    insta::assert_snapshot!("page_at_its_end", screen(&model));
    press(&mut model, "q");
    assert!(model.pages.is_empty());
}

#[test]
fn a_conversation_opens_at_its_end_is_followed_and_searched() {
    let mut model = model(some_rows(), 40, 8);
    press(&mut model, "o");
    let kind = PageKind::Transcript(session(1), None);
    let said = |count: usize| {
        (0..count)
            .map(|number| PageLine::text(format!("said {number}")))
            .collect()
    };
    model.take(News::Page(kind.clone(), said(20)));
    assert!(screen(&model).contains("said 19"));
    model.take(News::Page(kind.clone(), said(25)));
    assert!(screen(&model).contains("said 24"));
    press(&mut model, "/SAID 7\r");
    insta::assert_snapshot!("conversation_found", screen(&model));
    model.take(News::Page(kind, said(30)));
    assert!(screen(&model).contains("said 7"), "it only follows from its end");
    press(&mut model, "/absent\r");
    insta::assert_snapshot!("conversation_not_found", screen(&model).lines().last().unwrap());
}

#[test]
fn a_question_is_answered() {
    let mut model = model(some_rows(), 60, 8);
    let question = || News::Question {
        title: "Remove what dead processes left in the registry?".to_owned(),
        lines: vec![PageLine::text("would remove /home/ann/.claude/sessions/7.json")],
        then: Request::Job(Job::Prune),
    };
    model.take(question());
    insta::assert_snapshot!(screen(&model));
    assert_eq!(press(&mut model, "xn"), []);
    assert!(model.pages.is_empty());
    model.take(question());
    assert_eq!(press(&mut model, "y"), [Request::Job(Job::Prune)]);
    assert!(model.pages.is_empty());
}

#[test]
fn the_keys() {
    let mut model = model(some_rows(), 80, 60);
    press(&mut model, "?");
    insta::assert_snapshot!(screen(&model));
    press(&mut model, "?");
    assert!(model.pages.is_empty());
}

#[test]
fn without_rows_the_table_says_why() {
    let empty = Model::new(Window { columns: 70, rows: 5 }, Styles::new(false), None);
    insta::assert_snapshot!("before_the_first_look", screen(&empty));
    insta::assert_snapshot!("no_sessions", screen(&model(Vec::new(), 70, 5)));
    insta::assert_snapshot!(
        "only_finished",
        screen(&model(vec![row(1, State::Exited, "", 9)], 70, 5))
    );
    let mut put_away = row(1, State::Exited, "", 9);
    put_away.disposal = Some(Disposal::Deleted);
    insta::assert_snapshot!("only_put_away", screen(&model(vec![put_away], 70, 5)));
    let mut none = model(some_rows(), 70, 5);
    press(&mut none, "/zzz");
    insta::assert_snapshot!("no_match", screen(&none));
}

#[test]
fn one_key_shows_more_and_more_and_then_less_again() {
    let mut rows = some_rows();
    rows[4].disposal = Some(Disposal::Deleted);
    rows[6].disposal = Some(Disposal::Archived);
    rows[0].disposal = Some(Disposal::Deleted);
    let mut model = model(rows, 80, 17);
    let few = screen(&model);
    press(&mut model, "a");
    assert!(screen(&model).contains("finished (1)"));
    press(&mut model, "a");
    insta::assert_snapshot!("everything", screen(&model));
    press(&mut model, "a");
    model.update(Action::Move(Motion::First));
    assert_eq!(screen(&model), few);
}

#[test]
fn news_that_are_longer_than_a_line_can_be_read_whole() {
    let long = "deleted 1 session; 00000001-5e55-4000-8000-000000000001 stays: it is live (pid 4711, alive, start time verified), \
                and nothing of it was touched";
    for (columns, rows, is_whole) in [
        (80, 12, true),
        (40, 12, true),
        (20, 6, false),
        (200, 12, true),
        (10, 1, false),
    ] {
        let mut model = model(some_rows(), columns, rows);
        let before = screen(&model);
        model.take(News::Said(Notice::failed(long)));
        let shown = screen(&model);
        let words = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(words(&shown).ends_with(&words(long)), is_whole, "{shown}");
        assert!(is_whole || shown.trim_end().ends_with('…'), "{shown}");
        // The lines above stay, and all of them are back with the next key.
        assert_eq!(shown.lines().next() == before.lines().next(), rows > 1);
        press(&mut model, "j");
        assert!(!screen(&model).contains("stays:"));
    }
}

#[test]
fn problems_are_counted_and_shown() {
    let mut model = model(some_rows(), 80, 8);
    model.problems = vec!["/r/x.jsonl:3: not \u{1b}[31mJSON".to_owned()];
    insta::assert_snapshot!("problems_counted", screen(&model).lines().next().unwrap());
    press(&mut model, "!");
    insta::assert_snapshot!("problems", screen(&model));
}

#[test]
fn names_that_would_break_a_screen_do_not() {
    let names = [
        "\u{1b}[2J\u{1b}]0;title\u{7} escape",
        "right \u{202e}left",
        "👩\u{200d}💻 joined, ❤\u{fe0f} varied, 👍🏽 toned",
        "שלום עולם مرحبا",
        "tab\tnew\nline",
        "e\u{301}\u{301}\u{301} stacked",
        "a very long name that goes on and on and on and is cut somewhere in the middle of the screen",
    ];
    let rows = (1..)
        .zip(names)
        .map(|(number, name)| row(number, State::Idle, name, i64::from(number)));
    insta::assert_snapshot!(screen(&model(rows.collect(), 80, 12)));
}

#[test]
fn colours_mean_what_the_list_means_and_are_never_alone() {
    let rows = some_rows();
    let coloured = buffer(&model(rows.clone(), 80, 16));
    let find = |word: &str| {
        let screen = screen(&model(rows.clone(), 80, 16));
        let (y, line) = screen
            .lines()
            .enumerate()
            .find(|(_, line)| line.contains(word))
            .unwrap();
        let x = width(&line[..line.find(word).unwrap()]);
        coloured[(x as u16, y as u16)].style()
    };
    assert_eq!(find("idle").fg, Some(Color::Cyan));
    assert_eq!(find("crashed").fg, Some(Color::Red));
    assert_eq!(find("blocked").fg, Some(Color::Blue));
    assert_eq!(find("waiting  ").fg, Some(Color::Yellow));

    let mut plain = model(rows, 80, 16);
    plain.styles = Styles::new(false);
    press(&mut plain, " ");
    let plain_buffer = buffer(&plain);
    for cell in &plain_buffer.content {
        assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
    }
    // The cursor is a sign and a bar in reverse, a selection a sign.
    let text = screen(&plain);
    let cursor = text.lines().position(|line| line.starts_with('>')).unwrap() as u16;
    assert!(plain_buffer[(10, cursor)].modifier.contains(Modifier::REVERSED));
    assert!(text.lines().any(|line| line.starts_with(" ✓")));
}

fn state() -> impl Strategy<Value = State> {
    proptest::sample::select(State::ALL.to_vec())
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z日👩\u{200d}💻\u{202e}\u{1b} ]{0,30}",
        Just(String::new())
    ]
}

fn rows() -> impl Strategy<Value = Vec<crate::roll::Row>> {
    let row = (1_u32..40, state(), name(), 0_i64..10_000)
        .prop_map(|(number, state, name, ago)| row(number, state, &name, ago));
    proptest::collection::vec(row, 0..30)
}

/// Something that can happen.
#[derive(Debug, Clone)]
enum Step {
    Key(KeyCode, bool),
    Paste(String),
    Resize(usize, usize),
    Sessions(Vec<crate::roll::Row>),
    Page(usize),
    Question,
    Found(Vec<u32>),
    Said,
}

fn step() -> impl Strategy<Value = Step> {
    let named = [
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Backspace,
        KeyCode::Tab,
    ];
    prop_oneof![
        8 => proptest::sample::select("aegGjkmnhbdcop/?! yNq日x".chars().collect::<Vec<_>>()).prop_map(|c| Step::Key(KeyCode::Char(c), false)),
        6 => proptest::sample::select(named.to_vec()).prop_map(|code| Step::Key(code, false)),
        1 => proptest::sample::select(vec!['u', 'd', 'w', 'a', 'e', 'l']).prop_map(|c| Step::Key(KeyCode::Char(c), true)),
        1 => any::<String>().prop_map(Step::Paste),
        3 => (0_usize..310, 0_usize..110).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
        2 => rows().prop_map(Step::Sessions),
        2 => (0_usize..50).prop_map(Step::Page),
        1 => Just(Step::Question),
        2 => proptest::collection::vec(1_u32..40, 0..20).prop_map(Step::Found),
        1 => Just(Step::Said),
    ]
}

fn happen(model: &mut Model, step: Step) {
    match step {
        Step::Key(code, is_control) => {
            let modifiers = if is_control {
                KeyModifiers::CONTROL
            } else {
                KeyModifiers::NONE
            };
            if let Some(action) = understand(model.mode(), KeyEvent::new(code, modifiers)) {
                model.update(action);
            }
        }
        Step::Paste(text) => drop(model.paste(&text)),
        Step::Resize(columns, rows) => model.resize(Window { columns, rows }),
        Step::Sessions(rows) => {
            model.take(news(rows));
            model.settle();
        }
        Step::Page(count) => {
            let lines = (0..count)
                .map(|number| PageLine::text("word 日本 ".repeat(number)))
                .collect();
            if let Some(page) = model.pages.last() {
                let kind = page.kind.clone();
                model.take(News::Page(kind, lines));
            }
        }
        Step::Question => drop(model.take(News::Question {
            title: "really?".to_owned(),
            lines: vec![PageLine::text("it is gone then")],
            then: Request::Job(Job::Prune),
        })),
        Step::Found(numbers) => {
            let hits = numbers.into_iter().map(|number| Found {
                session: session(number),
                place: None,
                snippet: vec![Cell::from("日本".repeat(number as usize % 9))],
            });
            let search = TextSearch {
                query: model.query.clone(),
                hits: hits.collect(),
                total: 50,
                note: None,
            };
            model.take(News::Found(search));
        }
        Step::Said => drop(model.take(News::Said(Notice::said("news 日本")))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_happens_the_screen_can_be_drawn(first in rows(), steps in proptest::collection::vec(step(), 0..25)) {
        let mut model = model(first, 80, 24);
        for step in steps {
            happen(&mut model, step);
            if model.screen.columns > 0 && model.screen.rows > 0 {
                let buffer = buffer(&model);
                prop_assert!(buffer.content.iter().all(|cell| !cell.symbol().chars().any(char::is_control)));
            }
            // The cursor stands on a session that is shown, if any is.
            match model.cursor {
                Some(session) => prop_assert_eq!(model.roster.line_of(session), Some(model.viewport.cursor)),
                None => prop_assert!(model.roster.lines().is_empty()),
            }
        }
    }

    #[test]
    fn the_cursor_stays_on_its_session_and_the_session_on_its_line(
        before in rows(), after in rows(), down in 0_usize..20, height in 4_usize..20,
    ) {
        let mut model = model(before, 80, height);
        for _ in 0..down {
            model.update(Action::Move(Motion::Down));
        }
        let (cursor, viewport) = (model.cursor, model.viewport);
        model.take(news(after));
        model.settle();
        let Some(line) = cursor.and_then(|session| model.roster.line_of(session)) else { return Ok(()) };
        prop_assert_eq!(model.cursor, cursor);
        let on_screen = viewport.cursor - viewport.top;
        let lines = model.roster.lines().len();
        // As far as there are lines above and below to scroll.
        let is_possible = line >= on_screen && line - on_screen + model.viewport.height <= lines;
        if is_possible {
            prop_assert!((line - model.viewport.top).abs_diff(on_screen) <= 1, "{on_screen} {line} {:?}", model.viewport);
        }
    }

    #[test]
    fn typing_a_filter_never_loses_the_cursor(rows in rows(), text in "[a-z ]{0,8}") {
        let mut model = model(rows, 80, 24);
        model.update(Action::Filter);
        for character in text.chars() {
            model.update(Action::Type(Edit::Insert(character.to_string())));
            prop_assert_eq!(model.cursor.is_none(), model.roster.lines().is_empty());
        }
        model.update(Action::Back);
        prop_assert_eq!(model.query.as_str(), "");
    }
}

#[test]
fn no_home_is_no_reason_to_fail() {
    let mut model = Model::new(Window { columns: 80, rows: 8 }, Styles::new(true), None);
    model.home = None::<PathBuf>;
    model.take(news(some_rows()));
    model.settle();
    assert!(screen(&model).contains("parser-rewrite"));
}
