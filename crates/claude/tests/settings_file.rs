//! The settings file on disk: symlinks, modes, backup, running clients, crashes.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test arranges files directly and fails by panicking"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use sexton_claude::settings::{Edit, HookProgram, SettingsFile, SettingsFileError};
use sexton_sys::{Effects, Fault, FaultPlan};

const TEXT: &str = "{\n  \"model\": \"opus\"\n}\n";

fn install() -> Edit {
    Edit::Install(HookProgram::new(Path::new("/usr/bin/sexton")).unwrap())
}

struct Directory(tempfile::TempDir);

impl Directory {
    fn with(text: &str) -> Self {
        let directory = Self(tempfile::tempdir().unwrap());
        fs::write(directory.path("settings.json"), text).unwrap();
        directory
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self) -> SettingsFile {
        SettingsFile::of_user(self.0.path()).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn nothing_is_left_behind() {
    let directory = Directory::with(TEXT);
    fs::set_permissions(directory.path("settings.json"), fs::Permissions::from_mode(0o640)).unwrap();
    let file = directory.file();
    assert!(file.edit(&install(), &Effects::apply(), |_| {}).unwrap().is_change());
    assert!(file.status().unwrap().is_installed());
    assert_eq!(directory.read("settings.json.sexton-backup"), TEXT);
    let mode = fs::metadata(directory.path("settings.json"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o7777, 0o640);
    assert!(
        !file
            .edit(&install(), &Effects::apply(), |_| panic!("written again"))
            .unwrap()
            .is_change()
    );

    file.edit(&Edit::Uninstall, &Effects::apply(), |_| {}).unwrap();
    assert_eq!(directory.read("settings.json"), TEXT);
    assert_eq!(directory.names(), ["settings.json"]);
}

#[test]
fn a_file_that_was_not_there_is_removed_again() {
    let home = tempfile::tempdir().unwrap();
    let file = SettingsFile::of_project(&home.path().join("project")).unwrap();
    file.edit(&install(), &Effects::apply(), |_| {}).unwrap();
    let metadata = fs::metadata(file.path()).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o600);
    assert!(!file.backup().exists());
    file.edit(&Edit::Uninstall, &Effects::apply(), |_| {}).unwrap();
    assert!(!file.path().exists());
    assert!(
        !file
            .edit(&Edit::Uninstall, &Effects::apply(), |_| {})
            .unwrap()
            .is_change()
    );
}

#[test]
fn the_first_backup_is_kept() {
    let directory = Directory::with(TEXT);
    fs::write(directory.path("settings.json.sexton-backup"), "older").unwrap();
    directory.file().edit(&install(), &Effects::apply(), |_| {}).unwrap();
    directory
        .file()
        .edit(&Edit::Uninstall, &Effects::apply(), |_| {})
        .unwrap();
    assert_eq!(directory.read("settings.json.sexton-backup"), "older");
}

#[test]
fn the_target_of_a_symlink_is_edited() {
    let dotfiles = Directory::with(TEXT);
    let home = tempfile::tempdir().unwrap();
    symlink(dotfiles.path("settings.json"), home.path().join("middle")).unwrap();
    symlink("middle", home.path().join("settings.json")).unwrap();
    let file = SettingsFile::of_user(home.path()).unwrap();
    file.edit(&install(), &Effects::apply(), |_| {}).unwrap();
    assert!(home.path().join("settings.json").is_symlink());
    assert!(dotfiles.read("settings.json").contains("hook session-start"));
    assert!(home.path().join("settings.json.sexton-backup").is_file());
    assert_eq!(dotfiles.names(), ["settings.json"]);
}

#[test]
fn a_symlink_to_a_file_that_is_yet_to_be_made_is_fine_and_to_a_missing_directory_is_not() {
    let home = tempfile::tempdir().unwrap();
    symlink("dotfile", home.path().join("settings.json")).unwrap();
    let file = SettingsFile::of_user(home.path()).unwrap();
    file.edit(&install(), &Effects::apply(), |_| {}).unwrap();
    assert!(home.path().join("settings.json").is_symlink() && home.path().join("dotfile").is_file());

    let home = tempfile::tempdir().unwrap();
    symlink("gone/dotfile", home.path().join("settings.json")).unwrap();
    let error = SettingsFile::of_user(home.path()).unwrap_err();
    assert!(matches!(error, SettingsFileError::Dangling { .. }), "{error}");
    symlink("b", home.path().join("a")).unwrap();
    symlink("a", home.path().join("b")).unwrap();
    let error = SettingsFile::at(home.path().join("a")).unwrap_err();
    assert!(error.to_string().contains("too many levels"), "{error}");
}

#[test]
fn a_client_that_writes_over_the_edit_is_answered() {
    let directory = Directory::with(TEXT);
    let path = directory.path("settings.json");
    let mut overwritten = 0;
    let client = |_| {
        if overwritten < 2 {
            overwritten += 1;
            fs::write(
                &path,
                format!("{{\n  \"model\": \"sonnet\",\n  \"n\": {overwritten}\n}}\n"),
            )
            .unwrap();
        }
    };
    let change = directory.file().edit(&install(), &Effects::apply(), client).unwrap();
    assert_eq!(change.before.as_deref(), Some(TEXT));
    assert_eq!(change.after, Some(directory.read("settings.json")));
    assert!(directory.read("settings.json").contains("\"n\": 2,\n"));
    assert!(directory.file().status().unwrap().is_installed());
}

#[test]
fn a_client_that_never_yields_is_named() {
    let directory = Directory::with(TEXT);
    let path = directory.path("settings.json");
    let client = |_| fs::write(&path, TEXT).unwrap();
    let error = directory
        .file()
        .edit(&install(), &Effects::apply(), client)
        .unwrap_err();
    assert!(matches!(error, SettingsFileError::Unsettled { .. }), "{error}");
    assert_eq!(directory.read("settings.json"), TEXT);
}

#[test]
fn what_can_not_be_edited_is_named_and_left() {
    let directory = Directory::with("{\n  // mine\n  \"a\": 1\n}\n");
    let error = directory
        .file()
        .edit(&install(), &Effects::apply(), |_| {})
        .unwrap_err();
    let path = directory.path("settings.json");
    assert_eq!(
        error.to_string(),
        format!("{}:2:3: key must be a string", path.display())
    );
    fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
    let error = directory
        .file()
        .edit(&install(), &Effects::apply(), |_| {})
        .unwrap_err();
    assert!(error.to_string().ends_with(":1:8: not UTF-8"), "{error}");
    assert_eq!(directory.names(), ["settings.json"]);

    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = directory.file().status().unwrap_err();
    assert!(error.to_string().contains("is a directory"), "{error}");
}

#[test]
fn a_dry_run_changes_nothing_and_says_what_would_be() {
    let directory = Directory::with(TEXT);
    let effects = Effects::record();
    let change = directory
        .file()
        .edit(&install(), &effects, |_| panic!("waited"))
        .unwrap();
    assert!(change.is_change());
    assert_eq!(directory.names(), ["settings.json"]);
    assert_eq!(directory.read("settings.json"), TEXT);
    assert_eq!(effects.recorded().len(), 2, "{:?}", effects.recorded());
}

/// A kill, a bad disk, a full one, a quota that refuses one file, and a write that is cut short.
const FAULTS: [Fault; 5] = [
    Fault::Stop,
    Fault::Error(5),
    Fault::ErrorFromHere(28),
    Fault::Error(122),
    Fault::ShortWrite(3),
];

/// Makes an edit with each fault at each of its steps; the file must be as before or as after it, and the next try must complete.
fn edited_with_faults(arrange: impl Fn() -> Directory, edit: &Edit) {
    let names_after = |directory: &Directory| {
        directory.file().edit(edit, &Effects::apply(), |_| {}).unwrap();
        let names = directory.names().into_iter();
        names
            .map(|name| (name.clone(), directory.read(&name)))
            .collect::<Vec<_>>()
    };
    let (before, after) = (arrange().read("settings.json"), names_after(&arrange()));
    let text_after = after
        .iter()
        .find(|(name, _)| name == "settings.json")
        .map(|(_, text)| text);
    let counting = Effects::faulty(FaultPlan::count_only());
    arrange().file().edit(edit, &counting, |_| {}).unwrap();
    assert!(counting.steps_taken() > 3);
    for step in 0..counting.steps_taken() {
        for fault in FAULTS {
            let directory = arrange();
            let _ = directory
                .file()
                .edit(edit, &Effects::faulty(FaultPlan::new(step, fault)), |_| {});
            let text = directory.read("settings.json");
            assert!(
                text == before || Some(&text) == text_after,
                "{fault:?} at {step}: {text}"
            );
            assert_eq!(names_after(&directory), after, "{fault:?} at {step}");
        }
    }
}

#[test]
fn stopped_anywhere_the_file_is_whole() {
    edited_with_faults(|| Directory::with(TEXT), &install());
}

#[test]
fn stopped_anywhere_while_hooks_are_removed_the_file_is_whole() {
    let installed = || {
        let directory = Directory::with(TEXT);
        directory.file().edit(&install(), &Effects::apply(), |_| {}).unwrap();
        directory
    };
    edited_with_faults(installed, &Edit::Uninstall);
}
