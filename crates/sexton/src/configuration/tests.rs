use std::path::PathBuf;

use sexton_sys::Environment;

use super::{Configuration, Options, Source, VaultPolicy, annotated, template};

fn environment() -> Environment {
    Environment::from_variables([("HOME", "/home/ada")])
}

fn resolve(text: &str) -> Configuration {
    Configuration::resolve(text, &environment(), &Options::default())
}

fn problems(text: &str) -> Vec<String> {
    resolve(text).problems.iter().map(ToString::to_string).collect()
}

fn source(configuration: &Configuration, name: &str) -> Source {
    configuration
        .entries
        .iter()
        .find(|entry| entry.name == name)
        .unwrap()
        .source
}

#[test]
fn every_key_has_a_default() {
    insta::assert_snapshot!(annotated(&resolve("").entries), @r#"
    # Directories of Claude Code's, besides `$CLAUDE_CONFIG_DIR`, `~/.claude` and claudewheel's profiles.
    # Also: `--config-dir`
    config_dirs = []  # default

    # The lifecycle register. Hooks write it, so that other programs that read it must be told as well.
    # Also: `--register-dir`, `$SEXTON_REGISTER_DIR`, `$CLAUDEWHEEL_LIFECYCLE_DIR`
    register_dir = "/home/ada/.claudewheel/shared/lifecycle"  # default

    # The directory of `.deleted`, the file with the ids of deleted sessions, which other programs read as well.
    # Also: `--tombstone-dir`, `$SEXTON_TOMBSTONE_DIR`
    tombstone_dir = "/home/ada/.cache/session-search"  # default

    # Where archived sessions go; by default to `archive` in the session's own config directory.
    # Also: `--archive-dir`, `$SEXTON_ARCHIVE_DIR`
    # archive_dir is not set  # default

    [vault]
    # Which sessions get a compressed copy: `all`, `named` (those of `sexton keep add`), or `off`.
    policy = "all"  # default

    # How large all copies together may grow. At the limit no more are made, and none is dropped.
    limit = "5 GiB"  # default

    [trash]
    # What `sexton trash empty` takes: sessions that were deleted longer ago than this (`12h`, `30d`, `8w`).
    older_than = "30d"  # default

    [index]
    # Whether search finds what tools printed. Without it the index is smaller.
    tool_output = true  # default
    "#);
}

#[test]
fn a_file_sets_what_it_names() {
    let text = "config_dirs = ['~/other', '/mnt/claude']\nvault.policy = 'named'\n\n[vault]\nlimit = 1_000_000\n";
    assert_eq!(problems(text), ["4:2: duplicate key"]);
    let text = text
        .replace("vault.policy", "#")
        .replace("[vault]\n", "[vault]\npolicy = \"named\"\n");
    let configuration = resolve(&text);
    assert_eq!(
        configuration.config_dirs,
        [PathBuf::from("/home/ada/other"), PathBuf::from("/mnt/claude")]
    );
    assert_eq!(configuration.vault.policy, VaultPolicy::Named);
    assert_eq!(configuration.vault.limit.bytes(), 1_000_000);
    assert_eq!(source(&configuration, "vault.limit"), Source::File(6));
    assert_eq!(source(&configuration, "trash.older_than"), Source::Default);
}

#[test]
fn options_win_over_the_environment_and_that_over_the_file() {
    let text = "register_dir = '/from/file'\n";
    let with = |variables: &[(&str, &str)], option: Option<&str>| {
        let home = [("HOME", "/home/ada")].into_iter();
        let environment = Environment::from_variables(home.chain(variables.iter().copied()));
        let register_dir = option.map(PathBuf::from);
        let options = Options {
            register_dir,
            ..Options::default()
        };
        let configuration = Configuration::resolve(text, &environment, &options);
        (
            configuration.register_dir.clone().unwrap(),
            source(&configuration, "register_dir"),
        )
    };
    let variables = [("CLAUDEWHEEL_LIFECYCLE_DIR", "/wheel"), ("SEXTON_REGISTER_DIR", "/env")];
    assert_eq!(
        with(&variables, Some("/option")),
        ("/option".into(), Source::Option("--register-dir"))
    );
    assert_eq!(
        with(&variables, None),
        ("/env".into(), Source::Environment("SEXTON_REGISTER_DIR"))
    );
    assert_eq!(
        with(&variables[..1], None),
        ("/wheel".into(), Source::Environment("CLAUDEWHEEL_LIFECYCLE_DIR"))
    );
    assert_eq!(
        with(&[("SEXTON_REGISTER_DIR", "relative")], None),
        ("/from/file".into(), Source::File(1))
    );
}

#[test]
fn mistakes_are_named_with_their_place() {
    insta::assert_snapshot!(problems(
        "config_dir = []\nregister_dir = 'relative'\n\n[vault]\npolicy = \"some\"\nlimit = 2.5\nsize = 1\n\n[trash]\nolder_than = '2026-01-01'\n[index]\ntool_output = 'yes'\n[nothing.at]\nall = 1\n"
    ).join("\n"), @r#"
    1:1: unknown key `config_dir`; did you mean `config_dirs`?
    2:16: `register_dir`: expected an absolute path, or one that begins with `~/`, found `relative`
    5:10: `vault.policy`: expected `"all"`, `"named"` or `"off"`, found `some`
    6:9: `vault.limit`: expected a size such as `"20 GiB"`, found float
    7:1: unknown key `vault.size`; did you mean `vault.limit`?
    10:14: `trash.older_than`: expected an age such as `"30d"`, found `2026-01-01`
    12:15: `index.tool_output`: expected `true` or `false`, found `yes`
    14:1: unknown key `nothing.at.all`; `sexton config show` lists all keys
    "#);
    let broken = "register_dir = '/kept'\nvault.limit = = 3\narchive_dir = \"/ü\" x\n";
    insta::assert_snapshot!(problems(broken).join("\n"), @"
    2:15: extra `=`, expected nothing
    2:17: unexpected key or value, expected newline, `#`
    3:20: unexpected key or value, expected newline, `#`
    ");
    assert_eq!(resolve(broken).register_dir, Some(PathBuf::from("/kept")));
}

#[test]
fn what_is_shown_and_what_is_begun_with_are_configurations() {
    let text = "config_dirs = ['/a \"b\"']\n[vault]\nlimit = 77\n";
    let shown = annotated(&resolve(text).entries);
    let again = resolve(&shown);
    assert_eq!(again.problems, []);
    assert_eq!(again.config_dirs, [PathBuf::from("/a \"b\"")]);
    assert_eq!(again.vault.limit.bytes(), 77);

    let template = template(&resolve("").entries);
    assert_eq!(resolve(&template).problems, []);
    let set = template.lines().map(|line| {
        line.strip_prefix("# ")
            .filter(|line| line.contains(" = "))
            .unwrap_or(line)
    });
    let set = set.collect::<Vec<_>>().join("\n");
    assert_eq!(problems(&set), [] as [&str; 0], "{set}");
}
