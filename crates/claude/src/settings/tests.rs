//! Install and uninstall over many layouts.

use std::path::Path;

use proptest::prelude::*;

use super::{HookProgram, Status, install, uninstall};

fn program() -> HookProgram {
    HookProgram::new(Path::new("/usr/bin/sexton")).unwrap()
}

fn installed(text: &str) -> String {
    install(Some(text), &program()).unwrap()
}

/// Texts as people and programs leave them.
const TEXTS: &[&str] = &[
    "",
    "\n",
    " \t\r\n\n  ",
    "{} ",
    " {} ",
    "{}",
    "{}\n",
    "\r\n{}\r\n",
    " { } ",
    "{\n}\n",
    "{\"hooks\":{}}",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"model\": \"opus\",\n  \"hooks\": {}\n}\n",
    "{\n  \"model\": \"opus\",\n  \"hooks\": {\n  }\n}\n",
    "{\"hooks\":{\"SessionStart\":[],\"SessionEnd\":[]}}",
    "{\"hooks\":{\"SessionEnd\":[ ]}, \"a\" : 1}",
    "{\n    \"model\": \"opus\",\n    \"env\": {\n        \"A\": \"1\"\n    }\n}",
    "{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {}\r\n}\r\n",
    "{\"model\":\"opus\",\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}]}}",
    "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"matcher\": \"startup\", \"hooks\": [{\"type\": \"command\", \"command\": \"/x start\"}]}\n    ],\n    \"PreToolUse\": [1]\n  },\n  \"n\": 2.50e3\n}\n",
    "{\"hooks\":{\"SessionStart\":[null,{\"hooks\":7},{\"hooks\":[]},{\"hooks\":[\"x\",{\"command\":1}]}]}}",
];

#[test]
fn uninstall_gives_back_what_was() {
    for text in TEXTS {
        let installed = installed(text);
        assert_ne!(&installed, text);
        assert_eq!(uninstall(&installed).unwrap().as_deref(), Some(*text), "{installed}");
    }
}

#[test]
fn install_is_idempotent_and_json() {
    for text in TEXTS {
        let once = installed(text);
        assert_eq!(installed(&once), once);
        serde_json::from_str::<serde_json::Value>(&once).unwrap();
        assert!(Status::of(Some(&once)).unwrap().is_installed());
    }
}

#[test]
fn an_absent_file_is_absent_again() {
    let text = install(None, &program()).unwrap();
    insta::assert_snapshot!(text, @r#"
    {
      "hooks": {
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/usr/bin/sexton' hook session-start"
              }
            ]
          }
        ],
        "SessionEnd": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/usr/bin/sexton' hook session-end",
                "timeout": 10
              }
            ]
          }
        ]
      }
    }
    "#);
    assert_eq!(uninstall(&text).unwrap(), None);
    assert_eq!(uninstall("{}").unwrap().as_deref(), Some("{}"));
}

#[test]
fn it_looks_like_what_stands_around_it() {
    insta::assert_snapshot!(installed(TEXTS[18]), @r#"{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}],"SessionStart":[{"hooks":[{"type":"command","command":"'/usr/bin/sexton' hook session-start"}]}],"SessionEnd":[{"hooks":[{"type":"command","command":"'/usr/bin/sexton' hook session-end","timeout":10}]}]}}"#);
    insta::assert_snapshot!(installed(TEXTS[19]), @r#"
    {
      "hooks": {
        "SessionStart": [
          {"matcher": "startup", "hooks": [{"type": "command", "command": "/x start"}]},
          {"hooks": [{"type": "command", "command": "'/usr/bin/sexton' hook session-start"}]}
        ],
        "PreToolUse": [1],
        "SessionEnd": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/usr/bin/sexton' hook session-end",
                "timeout": 10
              }
            ]
          }
        ]
      },
      "n": 2.50e3
    }
    "#);
    insta::assert_snapshot!(installed(TEXTS[17]).replace('\r', "␍").replace('\t', "→"), @r#"
    {␍
    →"model": "opus",␍
    →"hooks": {␍
    →→"SessionEnd": [␍
    →→→{␍
    →→→→"hooks": [␍
    →→→→→{␍
    →→→→→→"type": "command",␍
    →→→→→→"command": "'/usr/bin/sexton' hook session-end",␍
    →→→→→→"timeout": 10␍
    →→→→→}␍
    →→→→]␍
    →→→}␍
    →→],␍
    →→"SessionStart": [␍
    →→→{␍
    →→→→"hooks": [␍
    →→→→→{␍
    →→→→→→"type": "command",␍
    →→→→→→"command": "'/usr/bin/sexton' hook session-start"␍
    →→→→→}␍
    →→→→]␍
    →→→}␍
    →→]␍
    →}␍
    }␍
    "#);
    insta::assert_snapshot!(installed("{}"), @r#"
    {
      "hooks": {
        "SessionEnd": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/usr/bin/sexton' hook session-end",
                "timeout": 10
              }
            ]
          }
        ],
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/usr/bin/sexton' hook session-start"
              }
            ]
          }
        ]
      }
    }
    "#);
    insta::assert_snapshot!(installed("{\"hooks\": {\"SessionStart\": []}}"), @r#"{"hooks": {"SessionStart": [ {"hooks": [{"type": "command", "command": "'/usr/bin/sexton' hook session-start"}]}], "SessionEnd": [{"hooks": [{"type": "command", "command": "'/usr/bin/sexton' hook session-end", "timeout": 10}]}]}}"#);
}

#[test]
fn what_would_be_ambiguous_is_refused() {
    let error = |text| install(Some(text), &program()).unwrap_err().to_string();
    assert_eq!(
        error("{\n  \"hooks\": []\n}\n"),
        "2:12: expected `hooks` to be an object"
    );
    assert_eq!(
        error("{\"hooks\": {\"SessionEnd\": null}}"),
        "1:26: expected `hooks.SessionEnd` to be an array"
    );
    assert_eq!(
        error("{\n  \"hooks\": {},\n  \"hooks\": {}\n}"),
        "3:3: `hooks` is there twice"
    );
}

#[test]
fn entries_of_a_moved_binary_are_ours() {
    let old = HookProgram::new(Path::new("/old/place/sexton")).unwrap();
    for text in TEXTS {
        let moved = install(Some(&install(Some(text), &old).unwrap()), &program()).unwrap();
        assert_eq!(moved, installed(text));
    }
}

#[test]
fn doubles_and_other_spellings_become_one() {
    let text = r#"{"hooks": {
      "SessionStart": [
        {"matcher": "startup", "hooks": [{"type": "command", "command": "other"}, {"command": "/old/sexton", "args": ["hook", "session-start"], "type": "command"}]},
        {"hooks": [{"type": "command", "command": "sexton hook session-start"}]}
      ],
      "SessionEnd": [{"matcher": "x", "hooks": [{"timeout": 30, "command": "sexton hook session-end"}]}]
    }}"#;
    let installed = installed(text);
    insta::assert_snapshot!(installed, @r#"
    {"hooks": {
          "SessionStart": [
            {"matcher": "startup", "hooks": [{"type": "command", "command": "other"}, {"type": "command", "command": "'/usr/bin/sexton' hook session-start"}]}
          ],
          "SessionEnd": [{"matcher": "x", "hooks": [{"timeout": 30, "command": "'/usr/bin/sexton' hook session-end"}]}]
        }}
    "#);
    insta::assert_snapshot!(uninstall(&installed).unwrap().unwrap(), @r#"
    {"hooks": {
          "SessionStart": [
            {"matcher": "startup", "hooks": [{"type": "command", "command": "other"}]}
          ],
          "SessionEnd": [{"matcher": "x", "hooks": []}]
        }}
    "#);
}

#[test]
fn what_came_in_between_stays() {
    let installed = installed("{\"a\": 1}");
    let more =
        installed
            .replacen("{\"a\": 1", "{\"b\": 2, \"a\": 3", 1)
            .replacen("}]}}", "}], \"Stop\": []}, \"c\": 4}", 1);
    assert_eq!(
        uninstall(&more).unwrap().as_deref(),
        Some("{\"b\": 2, \"a\": 3, \"hooks\": {\"Stop\": []}, \"c\": 4}")
    );
}

#[test]
fn a_rewrite_by_the_client_is_survived() {
    for text in ["{}", "{\n  \"a\": 1,\n  \"hooks\": {}\n}"] {
        let value: serde_json::Value = serde_json::from_str(&installed(text)).unwrap();
        let rewritten = serde_json::to_string_pretty(&value).unwrap();
        let rest = uninstall(&rewritten).unwrap().unwrap();
        let (rest, before): (serde_json::Value, serde_json::Value) = (
            serde_json::from_str(&rest).unwrap(),
            serde_json::from_str(text).unwrap(),
        );
        assert_eq!(rest, before);
    }
}

#[test]
fn others_that_record_the_same_are_noticed() {
    let text = r#"{
      "disableAllHooks": true,
      "enabledPlugins": {"other@x": true, "sexton@here": true},
      "hooks": {"SessionStart": [{"matcher": "", "hooks": [
        {"type": "command", "command": "/home/a/.claudewheel/scripts/hook-session-start"},
        {"type": "command", "command": "/home/a/mine"}]}]}
    }"#;
    let status = Status::of(Some(text)).unwrap();
    assert_eq!(status.claudewheel, ["/home/a/.claudewheel/scripts/hook-session-start"]);
    assert_eq!(status.plugin.as_deref(), Some("sexton@here"));
    assert!(status.disabled && status.is_absent());
}

#[test]
fn what_is_only_told_may_stand_there_twice_and_the_last_counts() {
    let text = r#"{"disableAllHooks": true, "disableAllHooks": false, "enabledPlugins": 1, "enabledPlugins": {"sexton@a": true}}"#;
    let status = Status::of(Some(text)).unwrap();
    assert!(!status.disabled);
    assert_eq!(status.plugin.as_deref(), Some("sexton@a"));
}

fn space() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => Just(""), 3 => Just(" "), 2 => Just("\n  "), 1 => Just("\r\n\t"), 1 => Just("\n"), 1 => Just("\n\n")]
}

/// Items with white space around each, and some of it between the brackets of none.
fn items(open: char, close: char, item: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let one = (space(), item, space()).prop_map(|(before, item, after)| format!("{before}{item}{after}"));
    (prop::collection::vec(one, 0..4), space())
        .prop_map(move |(items, inside)| {
            let inside = if items.is_empty() {
                inside.to_owned()
            } else {
                items.join(",")
            };
            format!("{open}{inside}{close}")
        })
        .boxed()
}

fn member(key: impl Strategy<Value = String> + 'static, value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    (key, space(), space(), value)
        .prop_map(|(key, before, after, value)| format!("\"{key}\"{before}:{after}{value}"))
        .boxed()
}

fn any_value() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("-1.50e3".to_owned()),
        Just("\"\\ud83d ,}]\\\" // \"".to_owned()),
        Just("\"日本 {[\"".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = member("[a-c]", inner.clone().boxed());
        prop_oneof![items('[', ']', inner.boxed()), items('{', '}', members)]
    })
    .boxed()
}

/// An object in which `keys` may be, each at most once and anywhere, with others between.
fn object_with(keys: Vec<(&'static str, BoxedStrategy<String>)>) -> BoxedStrategy<String> {
    let optional = |(key, value)| prop::option::of(member(Just(String::from(key)), value));
    let known: Vec<_> = keys.into_iter().map(optional).collect();
    let others = prop::collection::vec(member("[a-c]", any_value()), 0..2);
    (known, others)
        .prop_map(|(known, others)| known.into_iter().flatten().chain(others).collect::<Vec<_>>())
        .prop_shuffle()
        .prop_flat_map(|members| {
            let spaces = prop::collection::vec((space(), space()), members.len());
            (Just(members), spaces, space())
        })
        .prop_map(|(members, spaces, inside)| {
            let spaced = members
                .iter()
                .zip(spaces)
                .map(|(member, (before, after))| format!("{before}{member}{after}"));
            let members = spaced.collect::<Vec<_>>().join(",");
            if members.is_empty() {
                format!("{{{inside}}}")
            } else {
                format!("{{{members}}}")
            }
        })
        .boxed()
}

fn settings() -> impl Strategy<Value = String> {
    let group = prop_oneof![
        any_value(),
        object_with(vec![("hooks", any_value()), ("matcher", any_value())])
    ]
    .boxed();
    let groups = items('[', ']', group);
    let hooks = object_with(vec![("SessionStart", groups.clone()), ("SessionEnd", groups)]);
    (space(), object_with(vec![("hooks", hooks)]), space())
        .prop_map(|(before, root, after)| format!("{before}{root}{after}"))
}

#[test]
fn a_blank_file_that_a_client_wrote_anew_is_ours_alone() {
    let installed = installed("");
    // The client's own form has no blank at the end, and an empty file is worse than none.
    assert_eq!(uninstall(installed.trim_end()).unwrap(), None);
    assert_eq!(uninstall("\n").unwrap().as_deref(), Some("\n"));
    assert!(Status::of(Some(" \n")).unwrap().is_absent());
}

proptest! {
    #[test]
    fn uninstall_is_the_inverse_of_install(text in settings()) {
        let once = installed(&text);
        prop_assert_eq!(installed(&once), once.clone());
        prop_assert!(Status::of(Some(&once)).unwrap().is_installed());
        let value: serde_json::Value = serde_json::from_str(&once.replace("\\ud83d", "")).unwrap();
        prop_assert!(value.is_object());
        prop_assert_eq!(uninstall(&once).unwrap(), Some(text));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",: \n\\\\ahoks0-9]{0,40}") {
        let _ = install(Some(&text), &program()).map(|text| uninstall(&text));
    }
}
