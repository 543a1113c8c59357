//! `sexton search`: what is found, what is not, and that no query goes wrong.

use std::fs;

use sexton_testkit::{LiveProcess, RegistryRecord, Run, TestEnv, Transcript, register, session_id};

use crate::json::assert_valid;
use crate::support::{document, now_ms, sexton};

const DAY_MS: i64 = 86_400_000;

/// Three sessions in two projects, the first with a subagent.
fn library() -> TestEnv {
    let env = TestEnv::new();
    let now = now_ms();
    let first = Transcript::new(&session_id(1))
        .cwd("/home/dev/birds")
        .at_ms(now - 3 * DAY_MS)
        .conversation("the grey heron waits by load_all", "herons stand still for hours")
        .write(&env.config_dir());
    Transcript::new(&session_id(1))
        .at_ms(now - 3 * DAY_MS)
        .subagent("a1b2c3d4")
        .prompt("count every kingfisher")
        .write_as_subagent(&first);
    Transcript::new(&session_id(2))
        .cwd("/home/dev/birds/nests")
        .at_ms(now - 40 * DAY_MS)
        .conversation("a heron is grey, an egret is white", "yes")
        .write(&env.config_dir());
    Transcript::new(&session_id(3))
        .cwd("/home/dev/parser")
        .at_ms(now - DAY_MS)
        .conversation("mend src/main.rs", "getUserById fails with E0382 日本語の文章")
        .tool("Grep", r#"{"pattern":"cormorant"}"#, "nothing")
        .write(&env.config_dir());
    env
}

/// The numbers of the sessions that are found, in the order of their ids.
#[track_caller]
fn found(env: &TestEnv, arguments: &[&str]) -> Vec<u32> {
    let run = sexton(env, &[&["search", "--json"], arguments].concat());
    let hits = assert_valid("hits.schema.json", &run)["hits"]
        .as_array()
        .unwrap()
        .clone();
    run.assert_code(i32::from(hits.is_empty()));
    let number = |hit: &serde_json::Value| u32::from_str_radix(&hit["session"].as_str().unwrap()[..8], 16).unwrap();
    let mut found: Vec<u32> = hits.iter().map(number).collect();
    found.sort_unstable();
    found
}

#[test]
fn the_language_of_queries() {
    let env = library();
    for (query, expected) in [
        (&["heron"][..], &[1, 2][..]),
        (&["grey", "heron"], &[1, 2]),
        (&["HERON"], &[1, 2]),
        (&["\"grey heron\""], &[1]),
        (&["heron -egret"], &[1]),
        (&["egre*"], &[2]),
        (&["egre"], &[]),
        (&["egret OR getUserById"], &[2, 3]),
        (&["load_all"], &[1]),
        (&["src/main.rs"], &[3]),
        (&["user"], &[3]),
        (&["E0382"], &[3]),
        (&["日本"], &[3]),
        (&["cormorant"], &[3]),
        (&["kingfisher"], &[1]),
        (&["heron parser"], &[]),
        (&["albatross"], &[]),
    ] {
        assert_eq!(found(&env, query), expected, "{query:?}");
    }
}

#[test]
fn filters() {
    let env = library();
    for (arguments, expected) in [
        (&["--project", "nests"][..], &[2][..]),
        (&["--project", "birds"], &[1, 2]),
        (&["--cwd", "/home/dev/birds"], &[1, 2]),
        (&["--cwd", "/home/dev/birds/nests"], &[2]),
        (&["--cwd", "/home/dev/bird"], &[]),
        (&["--since", "7d"], &[1]),
        (&["--before", "7d"], &[2]),
        (&["--role", "assistant"], &[]),
        (&["--role", "user"], &[1, 2]),
        (&["--tool", "Bash"], &[]),
        (&["--state", "running"], &[]),
        (&["--project", "birds", "--since", "7d"], &[1]),
    ] {
        assert_eq!(
            found(&env, &[&["heron"], arguments].concat()),
            expected,
            "{arguments:?}"
        );
        assert_eq!(
            found(&env, &[&["--substring", "heron "], arguments].concat()),
            expected,
            "{arguments:?} by a scan"
        );
    }
    assert_eq!(found(&env, &["cormorant", "--tool", "Grep"]), [3]);
    for result in [&["nothing"][..], &["--substring", "nothing"]] {
        for (tool, expected) in [("grep", &[3][..]), ("Bash", &[])] {
            assert_eq!(
                found(&env, &[result, &["--tool", tool]].concat()),
                expected,
                "{result:?} of {tool}"
            );
        }
    }
    let read = sexton(&env, &["read", &session_id(3), "--role", "tool"]);
    assert_eq!(read.stdout.matches("tool Grep").count(), 2, "{read:#?}");
    sexton(&env, &["search", "heron", "--since", "soon"]).assert_code(2);
    sexton(&env, &["search", "heron", "--state", "asleep"]).assert_code(2);
    let newest = document(&sexton(
        &env,
        &["search", "heron", "--sort", "newest", "--limit", "1", "--json"],
    ));
    assert_eq!(newest["hits"][0]["session"], session_id(1));
    assert_eq!(newest["total"], 2);
    let oldest = document(&sexton(
        &env,
        &["search", "heron", "--sort", "oldest", "--limit", "1", "--json"],
    ));
    assert_eq!(oldest["hits"][0]["session"], session_id(2));
}

#[test]
fn no_query_is_an_error_of_the_engine() {
    let env = library();
    for query in [
        "\"",
        "\"\"",
        "*",
        "**",
        "-",
        "--",
        "-heron",
        "OR",
        "heron OR",
        "OR heron",
        "AND",
        "NOT",
        "NEAR(a b)",
        "a NEAR/2 b",
        "(heron",
        "heron)",
        "title:heron",
        "{heron}",
        "^heron",
        "heron + egret",
        "'; DROP TABLE messages; --",
        "%",
        "_",
        "\\",
        "\u{0}",
        "\u{202e}",
        "\u{1b}[31m",
        "heron*egret",
        "\"heron",
        "heron\"",
        "💥",
        " ",
        ".",
        "- -",
        "-\"grey heron\"",
        "a\nb",
        "\"*\"",
        "-*",
        "OR OR OR",
        "rowid",
        "''",
        "heron AND egret",
        "NOT heron",
    ] {
        // A NUL can't be an argument.
        if query.contains('\0') {
            continue;
        }
        let run = sexton(&env, &["search", "--", query]);
        assert!(matches!(run.code, Some(0..=2)), "{query:?}: {run:#?}");
        for word in [
            "fts",
            "sql",
            "syntax error",
            "no such column",
            "panicked",
            "unterminated",
        ] {
            assert!(!run.stderr.to_lowercase().contains(word), "{query:?}: {run:#?}");
        }
    }
    let long = "heron ".repeat(5_000);
    let run = sexton(&env, &["search", &long]);
    assert!(matches!(run.code, Some(0..=2)), "{run:#?}");
    let regex = sexton(&env, &["search", "--regex", "(unclosed"]);
    regex.assert_code(2);
    assert_eq!(regex.stdout, "");
}

#[test]
fn nothing_matched_is_exit_1_and_a_line_on_stderr() {
    let env = library();
    let run = sexton(&env, &["search", "albatross"]);
    run.assert_code(1);
    assert_eq!((run.stdout.as_str(), run.stderr.is_empty()), ("", false));
    sexton(&env, &["search"]).assert_code(2);
    // A machine without any session.
    sexton(&TestEnv::new(), &["search", "heron"]).assert_code(1);
}

#[test]
fn scans_find_text_as_it_stands() {
    let env = library();
    assert_eq!(found(&env, &["--substring", "grey heron waits"]), [1]);
    assert_eq!(found(&env, &["--substring", "Grey Heron"]), [] as [u32; 0]);
    assert_eq!(found(&env, &["--substring", "Grey Heron", "--ignore-case"]), [1]);
    assert_eq!(found(&env, &["--substring", "her.n"]), [] as [u32; 0]);
    assert_eq!(found(&env, &["--regex", "her.n is"]), [2]);
    assert_eq!(found(&env, &["--regex", "egret|E0\\d+"]), [2, 3]);
    assert_eq!(found(&env, &["--substring", "kingfisher"]), [1]);
}

#[test]
fn every_reference_is_read_and_subagents_are_named() {
    let env = library();
    for arguments in [
        &["heron", "--messages"][..],
        &["kingfisher"],
        &["cormorant"],
        &["--substring", "kingfisher"],
        &["--regex", "her.n", "--messages"],
    ] {
        let hits = document(&sexton(&env, &[&["search", "--json"], arguments].concat()));
        let shown = sexton(&env, &[&["search"], arguments].concat());
        let references = shown.stdout.lines().filter(|line| !line.starts_with(' '));
        let references: Vec<String> = references
            .map(|line| line.split_whitespace().next().unwrap().to_owned())
            .collect();
        let hits = hits["hits"].as_array().unwrap();
        assert_eq!(references.len(), hits.len(), "{}", shown.stdout);
        assert!(!hits.is_empty(), "{arguments:?}");
        let from_json = hits.iter().map(|hit| hit["reference"].as_str().unwrap().to_owned());
        for reference in from_json.chain(references) {
            let read: Run = sexton(&env, &["read", &reference, "--around", "0"]);
            read.assert_clean();
            let words = ["heron", "kingfisher", "cormorant"];
            assert!(
                words.iter().any(|word| read.stdout.contains(word)),
                "{reference}: {read:#?}"
            );
        }
    }
    let hit = document(&sexton(&env, &["search", "kingfisher", "--json"]))["hits"][0].clone();
    assert_eq!(hit["session"], session_id(1));
    assert!(hit["agent"].as_str().unwrap().contains("a1b2c3d4"), "{hit:#}");
    assert!(
        hit["reference"].as_str().unwrap().contains("/agent-a1b2c3d4:"),
        "{hit:#}"
    );
}

#[test]
fn what_steers_a_terminal_is_shown_and_not_obeyed() {
    let env = TestEnv::new();
    Transcript::new(&session_id(1))
        .cwd("/home/dev/o\u{1b}dd")
        .prompt("a heron\u{1b}]0;owned\u{7} \u{202e}and \u{9b}2J more")
        .custom_title("ti\u{1b}tle")
        .write(&env.config_dir());
    for arguments in [&["heron"][..], &["--substring", "heron"]] {
        let run = sexton(&env, &[&["search"], arguments].concat());
        run.assert_clean();
        let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!run.stdout.contains(steers), "{:?}", run.stdout);
        assert!(run.stdout.contains("heron"));
    }
}

#[test]
fn without_the_cache_nothing_is_lost() {
    let env = library();
    let all = || {
        let answer = document(&sexton(
            &env,
            &["search", "heron OR kingfisher OR cormorant", "--messages", "--json"],
        ));
        answer["hits"].clone()
    };
    let before = all();
    fs::remove_dir_all(env.cache_dir()).unwrap();
    assert_eq!(before, all());
    // Neither is anything when it is damaged or not ours.
    env.write(
        &env.cache_dir().join("catalogue.sqlite"),
        "no database at all".repeat(1000),
    );
    assert_eq!(before, all());
}

#[test]
fn what_was_appended_and_what_was_moved_is_found() {
    let env = library();
    assert_eq!(found(&env, &["albatross"]), [] as [u32; 0]);
    Transcript::new(&session_id(3))
        .cwd("/home/dev/parser")
        .at_ms(now_ms() - DAY_MS)
        .conversation("mend src/main.rs", "getUserById fails with E0382 日本語の文章")
        .tool("Grep", r#"{"pattern":"cormorant"}"#, "nothing")
        .prompt("an albatross")
        .write(&env.config_dir());
    assert_eq!(found(&env, &["albatross"]), [3]);
    let projects = env.config_dir().join("projects");
    fs::rename(projects.join("-home-dev-parser"), projects.join("-home-dev-elsewhere")).unwrap();
    assert_eq!(found(&env, &["albatross"]), [3]);
    assert_eq!(found(&env, &["albatross", "--project", "elsewhere"]), [3]);
    sexton(&env, &["archive", &session_id(3)]).assert_code(0);
    assert_eq!(
        found(&env, &["albatross"]),
        [3],
        "an archived session is searched as well"
    );
    assert_eq!(found(&env, &["--substring", "albatross"]), [3], "by a scan as well");
}

#[test]
fn where_no_catalogue_can_be_made_everything_is_found_all_the_same() {
    let env = library();
    env.write(&env.cache_dir(), "a file in the way");
    for arguments in [&["heron"][..], &["--substring", "heron "]] {
        for (filter, expected) in [
            (&[][..], &[1, 2][..]),
            (&["--cwd", "/home/dev/birds/nests"], &[2]),
            (&["--project", "nests"], &[2]),
            (&["--since", "7d"], &[1]),
        ] {
            let all = [arguments, filter].concat();
            assert_eq!(found(&env, &all), expected, "{all:?}");
            let run = sexton(&env, &[&["search"], &all[..]].concat());
            assert_eq!(
                run.stderr.matches("warning: failed to create directory").count(),
                1,
                "{run:#?}"
            );
            assert!(run.stdout.contains("/home/dev/birds"), "{run:#?}");
        }
    }
    assert_eq!(std::fs::read_to_string(env.cache_dir()).unwrap(), "a file in the way");
}

#[test]
fn a_newer_catalogue_is_left_alone_and_searched_without() {
    let env = library();
    assert_eq!(found(&env, &["heron"]), [1, 2]);
    let file = env.cache_dir().join("catalogue.sqlite");
    // SQLite keeps the version that a program gives its tables in these bytes of the file's header.
    let mut bytes = fs::read(&file).unwrap();
    bytes[60..64].copy_from_slice(&1000_u32.to_be_bytes());
    fs::write(&file, &bytes).unwrap();
    for search in [&["heron"][..], &["--substring", "heron"]] {
        assert_eq!(found(&env, search), [1, 2]);
        let run = sexton(&env, &[&["search"], search].concat());
        assert!(run.stderr.contains("it has version 1000"), "{run:#?}");
    }
    assert!(fs::read(&file).unwrap() == bytes);
}

#[test]
fn names_are_found_as_they_are_now() {
    const LATER_MS: i64 = 99_999_999_999_999;
    let env = library();
    let register = env.register_dir();
    let name = |number: u32, name: &str| {
        register::write(
            &register,
            &session_id(number),
            &[register::named(&session_id(number), now_ms(), name)],
        );
    };
    (1..=3).for_each(|number| name(number, &format!("wren-{number}")));
    // Only the register knows these, and there is nothing of theirs to be found.
    (10..=60).for_each(|number| name(number, "wren-without-transcript"));
    assert_eq!(found(&env, &["wren*"]), [1, 2, 3]);
    // What is kept from one search to the next is made by the library at a time when every file has been left alone for long.
    let keep = || {
        let sessions = (1..=3).chain(10..=60).map(|number| session_id(number).parse().unwrap());
        let names = sexton_register::names_again(&register, sessions, sexton_register::KeptNames::default(), LATER_MS);
        names.unwrap().keep.unwrap()
    };
    let kept = env.cache_dir().join("register-names");
    env.write(&kept, keep());
    assert_eq!(found(&env, &["wren*"]), [1, 2, 3]);

    name(2, "robin");
    sexton(&env, &["name", &session_id(3), "linnet"]).assert_code(0);
    assert_eq!(found(&env, &["wren*"]), [1]);
    assert_eq!(found(&env, &["robin"]), [2]);
    assert_eq!(found(&env, &["linnet"]), [3]);
    // Of a running session the registry's name counts, unless a person gave it another here.
    let process = LiveProcess::start();
    for (number, expected) in [(1, &[1][..]), (3, &[])] {
        RegistryRecord::of(&process, &session_id(number))
            .name("dipper", "derived")
            .write(&env.config_dir());
        assert_eq!(found(&env, &["dipper"]), expected);
    }
    assert_eq!(found(&env, &["linnet"]), [3]);

    env.write(&kept, "damaged");
    assert_eq!(found(&env, &["robin"]), [2]);
    let asked_for = keep();
    // Damage of the register is told where it could hide a name, and hides no other.
    fs::write(register::file(&register, &session_id(2)), "damage\n").unwrap();
    let run = sexton(&env, &["search", "--json", "linnet"]);
    run.assert_code(3);
    assert_eq!(document(&run)["hits"].as_array().unwrap().len(), 1);
    // What is deleted is found by no name, and not told of, whether or not the last search asked for it.
    sexton(&env, &["tombstone", "add", &session_id(2)]).assert_code(0);
    for kept_before in [asked_for, Vec::new()] {
        env.write(&kept, kept_before);
        let run = sexton(&env, &["search", "--json", "linnet"]);
        run.assert_code(0);
        assert!(!run.stdout.contains(&session_id(2)), "{run:#?}");
    }
}

#[test]
fn a_limit_of_nothing_and_no_context_still_tell_the_truth() {
    let env = TestEnv::new();
    for number in [1, 2] {
        Transcript::new(&session_id(number))
            .conversation("was there a deadlock in sqlite", "there was")
            .write(&env.config_dir());
    }
    let none = sexton(&env, &["search", "deadlock", "-n", "0"]);
    none.assert_code(0);
    assert_eq!((&*none.stdout, &*none.stderr), ("", "0 of 2 shown: `--limit`\n"));
    for how in [&["deadlock"][..], &["--substring", "deadlock"]] {
        for width in ["0", "1", "5"] {
            let run = sexton(&env, &[&["search", "-c", width], how].concat());
            run.assert_code(0);
            assert!(run.stdout.contains("    …deadlock…\n"), "{run:#?}");
        }
    }
    let long = sexton(&env, &["search", &"=".repeat(100_000)]);
    long.assert_code(2);
    assert!(long.stderr.len() < 1_000, "{}", long.stderr.len());
}

#[test]
fn whoever_forgets_the_quotes_is_told() {
    let env = TestEnv::new();
    for words in [&["deadlock", "-sqlite"][..], &["deadlock", "-cold"]] {
        let run = sexton(&env, &[&["search"], words].concat());
        run.assert_code(2);
        let right = format!("`sexton search '{}'`", words.join(" "));
        assert!(run.stderr.contains(&right), "{run:#?}");
    }
    let both = sexton(&env, &["search", "deadlock", "-mi"]);
    assert!(both.stderr.contains("belongs into quotes"), "{both:#?}");
    let other = sexton(&env, &["search", "deadlock", "--nothing-like-it"]);
    other.assert_code(2);
    assert!(!other.stderr.contains("excludes"), "{other:#?}");
}

#[test]
fn a_search_waits_for_another_process_that_reads_and_a_list_does_not() {
    let env = library();
    assert_eq!(found(&env, &["kingfisher"]), [1]);
    Transcript::new(&session_id(9))
        .conversation("the puffin is back", "it is")
        .write(&env.config_dir());
    let path = env.cache_dir().join("catalogue.pass-lock");
    let lock = fs::File::options().write(true).open(path).unwrap();
    lock.lock().unwrap();
    let listed = sexton(&env, &["list", "--all", "--json"]);
    listed.assert_code(0);
    assert!(listed.stdout.contains(&session_id(9)), "{listed:#?}");
    std::thread::scope(|scope| {
        let searching = scope.spawn(|| sexton(&env, &["search", "puffin", "--json"]));
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(!searching.is_finished());
        lock.unlock().unwrap();
        let run = searching.join().unwrap();
        run.assert_code(0);
        let answer = document(&run);
        assert_eq!(
            (&answer["total"], &answer["complete"]),
            (&1.into(), &true.into()),
            "{answer}"
        );
    });
}

#[test]
fn what_was_archived_before_anyone_read_it_is_found() {
    let env = library();
    // One by this program, before its first pass; one by another, which keeps no list, and a stub that a client left under its id.
    sexton(&env, &["archive", &session_id(1)]).assert_code(0);
    let archive = env.config_dir().join("archive");
    let theirs = Transcript::new(&session_id(9)).conversation("the puffin is back", "so it is");
    theirs.write_to(&archive.join(format!("{}.jsonl", session_id(9))));
    Transcript::new(&session_id(9)).cost_state().write(&env.config_dir());
    let messages = |query: &str| {
        let run = sexton(&env, &["search", "--messages", "--json", query]);
        run.assert_code(0);
        let hits = document(&run)["hits"].as_array().unwrap().clone();
        let origins = hits
            .iter()
            .map(|hit| hit["origin"].as_str().unwrap_or_default().to_owned());
        origins.collect::<Vec<_>>()
    };
    for _ in 0..3 {
        assert_eq!(messages("puffin"), ["archive"]);
        assert_eq!(messages("heron load_all"), ["archive"]);
        assert_eq!(messages("kingfisher"), ["archive"], "said to a subagent");
    }
    // All there is of them elsewhere is a copy: it says nothing twice.
    sexton(&env, &["keep", "add", &session_id(2)]).assert_code(0);
    sexton(&env, &["archive", &session_id(2)]).assert_code(0);
    fs::remove_dir_all(env.cache_dir()).unwrap();
    assert_eq!(messages("egret"), ["archive"]);
    assert_eq!(messages("puffin"), ["archive"]);
    let read = sexton(&env, &["read", &session_id(9)]);
    read.assert_code(0);
    assert!(read.stdout.contains("the puffin is back"), "{read:#?}");
    let listed = document(&sexton(&env, &["list", "--archived", "--json"]));
    assert_eq!(
        (&listed["sessions"][0]["id"], &listed["sessions"][0]["missing_since"]),
        (&session_id(1).into(), &serde_json::Value::Null),
        "{listed}"
    );

    sexton(&env, &["restore", &session_id(1)]).assert_code(0);
    for _ in 0..2 {
        assert_eq!(messages("heron load_all"), ["projects"]);
        assert_eq!(messages("kingfisher"), ["projects"]);
    }
    // The stub goes first, the session next.
    for _ in 0..2 {
        sexton(&env, &["delete", "--yes", &session_id(9)]).assert_code(0);
    }
    sexton(&env, &["search", "puffin"]).assert_code(1);
}
