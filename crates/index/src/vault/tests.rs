#![allow(clippy::disallowed_methods, reason = "a test arranges files directly")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sexton_register::SessionId;
use sexton_sys::{Effects, Fault, FaultPlan, FileTime};

use super::{Source, Take, Taken, Vault, VaultError};

struct Place {
    root: tempfile::TempDir,
    vault: Vault,
    session: SessionId,
}

const NEVER: &(dyn Fn() -> bool + Sync) = &|| false;

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let vault = Vault::new(root.path().join("data/vault"));
        let session = SessionId::from_u128(42);
        let place = Self { root, vault, session };
        fs::create_dir_all(place.config().join("projects/-w")).unwrap();
        place
    }

    fn config(&self) -> PathBuf {
        self.root.path().join("config")
    }

    fn transcript(&self) -> PathBuf {
        Path::new("projects/-w").join(format!("{}.jsonl", self.session))
    }

    fn write(&self, name: &Path, bytes: &[u8]) {
        let path = self.config().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn source(&self, names: &[&Path]) -> Source {
        Source {
            session: self.session,
            config_dir: self.config(),
            names: names.iter().map(|name| name.to_path_buf()).collect(),
        }
    }

    fn take_with(&self, effects: &Effects, names: &[&Path]) -> Result<Taken, VaultError> {
        let take = Take {
            now_ms: 1,
            room: u64::MAX,
            should_stop: NEVER,
        };
        self.vault.take(effects, &self.source(names), take)
    }

    fn take(&self, names: &[&Path]) -> Taken {
        self.take_with(&Effects::apply(), names).unwrap()
    }

    /// Every file below a fresh extraction: name to content, mode and time.
    fn extracted(&self) -> BTreeMap<PathBuf, (Vec<u8>, u32, FileTime)> {
        let into = tempfile::tempdir().unwrap();
        let target = into.path().join("out");
        let extracted = self.vault.extract(&Effects::apply(), self.session, &target).unwrap();
        let facts = |name: PathBuf| {
            let path = target.join(&name);
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_file() {
                fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            (name, (content, metadata.mode() & 0o7777, FileTime::modified(&metadata)))
        };
        extracted.names.into_iter().map(facts).collect()
    }

    fn content(&self, name: &Path) -> Vec<u8> {
        self.extracted().remove(name).unwrap().0
    }
}

/// Bytes that don't compress, the same each time.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| byte()).collect()
}

#[test]
fn a_footprint_comes_back_byte_for_byte() {
    let place = Place::new();
    let transcript = place.transcript();
    let odd = Path::new("todos").join(OsString::from_vec(b"t-\xff%".to_vec()));
    let directory = PathBuf::from("session-env/empty");
    place.write(&transcript, &noise(2_500_000, 1));
    place.write(&odd, b"");
    place.write(Path::new("debug/log.txt"), b"read only");
    fs::set_permissions(place.config().join("debug/log.txt"), fs::Permissions::from_mode(0o440)).unwrap();
    fs::create_dir_all(place.config().join(&directory)).unwrap();
    fs::set_permissions(place.config().join(&directory), fs::Permissions::from_mode(0o750)).unwrap();
    std::os::unix::fs::symlink("log.txt", place.config().join("debug/link")).unwrap();
    let old = FileTime {
        seconds: 1_000_000_000,
        nanoseconds: 123_456_789,
    };
    Effects::apply()
        .set_modified(&place.config().join(&transcript), old)
        .unwrap();

    let names = [
        &transcript,
        &odd,
        Path::new("debug/log.txt"),
        Path::new("debug/link"),
        &directory,
    ];
    let taken = place.take(&names);
    assert!(taken.complete && taken.problems.is_empty(), "{taken:?}");
    let back = place.extracted();
    assert_eq!(back.len(), 5);
    for name in names {
        let path = place.config().join(name);
        let metadata = path.symlink_metadata().unwrap();
        let (content, mode, modified) = &back[name];
        assert_eq!(*modified, FileTime::modified(&metadata), "{}", name.display());
        assert_eq!(*mode, metadata.mode() & 0o7777, "{}", name.display());
        if metadata.is_file() {
            assert!(*content == fs::read(path).unwrap(), "{}", name.display());
        }
    }
    assert_eq!(back[&transcript].2, old);
    assert!(place.vault.verify(place.session).unwrap().is_empty());
    for entry in fs::read_dir(place.vault.session_directory(place.session)).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().mode() & 0o7777, 0o600);
    }
}

#[test]
fn an_appended_transcript_adds_its_new_bytes() {
    let place = Place::new();
    let name = place.transcript();
    let all = noise(20_000_000, 2);
    place.write(&name, &all[..19_000_000]);
    place.take(&[&name]);
    place.write(&name, &all);
    let taken = place.take(&[&name]);
    assert!(taken.added < 2_200_000, "{}", taken.added);
    assert_eq!(place.take(&[&name]).added, 0);
    assert!(place.content(&name) == all);
}

#[test]
fn a_take_that_is_stopped_goes_on_later() {
    let place = Place::new();
    let name = place.transcript();
    let all = noise(5_300_000, 3);
    place.write(&name, &all);
    let effects = Effects::apply();
    let mut last = 0;
    for round in 0..20 {
        let asked = std::sync::atomic::AtomicU32::new(0);
        let should_stop = move || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 3;
        let take = Take {
            now_ms: round,
            room: u64::MAX,
            should_stop: &should_stop,
        };
        let taken = place.vault.take(&effects, &place.source(&[&name]), take).unwrap();
        let held = place.vault.manifest(place.session).unwrap().unwrap().content_bytes();
        assert!(held >= last);
        last = held;
        if taken.complete {
            break;
        }
    }
    assert!(place.content(&name) == all);
}

#[test]
fn a_copy_without_all_files_is_not_complete_though_each_that_it_has_is() {
    let place = Place::new();
    let name = place.transcript();
    place.write(&name, b"first\n");
    let second = Path::new("todos/second.json");
    place.write(second, b"second\n");
    let names = [&name, second];
    let asked = std::sync::atomic::AtomicU32::new(0);
    // Once for each name, and once for each chunk.
    let should_stop = move || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 2;
    let take = Take {
        now_ms: 1,
        room: u64::MAX,
        should_stop: &should_stop,
    };
    let source = place.source(&names);
    let taken = place.vault.take(&Effects::apply(), &source, take).unwrap();
    let status = || place.vault.status(place.session).unwrap().unwrap();
    assert_eq!((taken.complete, status().is_complete), (false, false));
    assert_eq!(status().content_bytes, 6);
    assert!(place.take(&names).complete);
    assert_eq!((status().is_complete, status().content_bytes), (true, 13));
}

#[test]
fn a_session_that_is_put_away_by_now_gets_no_copy() {
    let place = Place::new();
    let name = place.transcript();
    place.write(&name, b"x\n");
    let take = Take {
        now_ms: 1,
        room: u64::MAX,
        should_stop: NEVER,
    };
    let source = place.source(&[&name]);
    let is_locked = || {
        let lock = Effects::apply().lock(&place.vault.lock_path(), std::time::Duration::ZERO);
        assert!(lock.is_err(), "whoever puts it away would hold this lock");
        false
    };
    let taken = place.vault.take_if(&Effects::apply(), &source, take, &is_locked);
    assert_eq!(taken.unwrap(), None);
    assert!(place.vault.sessions().unwrap().is_empty());
}

#[test]
fn without_room_it_stops_and_says_so() {
    let place = Place::new();
    let name = place.transcript();
    place.write(&name, &noise(5_000_000, 4));
    let take = Take {
        now_ms: 1,
        room: 1_500_000,
        should_stop: NEVER,
    };
    let taken = place
        .vault
        .take(&Effects::apply(), &place.source(&[&name]), take)
        .unwrap();
    assert!(taken.out_of_room && !taken.complete);
    assert_eq!(place.vault.verify(place.session).unwrap().len(), 1);
}

#[test]
fn a_transcript_that_lost_its_past_does_not_cost_the_copy() {
    let place = Place::new();
    let name = place.transcript();
    place.write(&name, b"the whole past\nof it\n");
    place.take(&[&name]);
    place.write(&name, b"a stub\n");
    place.take(&[&name]);
    assert_eq!(place.content(&name), b"a stub\n");
    let manifest = place.vault.manifest(place.session).unwrap().unwrap();
    assert_eq!(manifest.earlier.len(), 1);
    assert_eq!(manifest.earlier[0].file().unwrap().held(), 21);
    let earlier = place.vault.earlier(place.session).unwrap();
    assert_eq!((earlier.len(), earlier[0].number, earlier[0].bytes), (1, 1, 21));
    assert_eq!(earlier[0].name, name);
    let to = tempfile::tempdir().unwrap();
    let to = to.path().join("earlier.jsonl");
    let extract = || {
        place
            .vault
            .extract_earlier(&Effects::apply(), place.session, &earlier[0], &to)
    };
    extract().unwrap();
    assert_eq!(fs::read(&to).unwrap(), b"the whole past\nof it\n");
    extract().unwrap_err();
    assert!(place.vault.open_earlier(place.session, 2).unwrap().is_none());
}

#[test]
fn a_transcript_that_a_link_takes_the_place_of_does_not_cost_the_copy() {
    let place = Place::new();
    let name = place.transcript();
    place.write(&name, b"the whole past\nof it\n");
    place.take(&[&name]);
    fs::remove_file(place.config().join(&name)).unwrap();
    std::os::unix::fs::symlink("/dev/null", place.config().join(&name)).unwrap();
    for _ in 0..2 {
        place.take(&[&name]);
        let earlier = place.vault.earlier(place.session).unwrap();
        assert_eq!((earlier.len(), earlier[0].bytes), (1, 21));
        let mut content = Vec::new();
        let mut copy = place.vault.open_earlier(place.session, 1).unwrap().unwrap();
        std::io::Read::read_to_end(&mut copy, &mut content).unwrap();
        assert_eq!(content, b"the whole past\nof it\n");
    }
}

#[test]
fn a_moved_transcript_comes_back_once_and_what_vanished_with_it_stays_in_the_copy() {
    let place = Place::new();
    let old = place.transcript();
    let new = Path::new("projects/-elsewhere").join(old.file_name().unwrap());
    place.write(&old, b"one\n");
    place.take(&[&old]);
    fs::remove_file(place.config().join(&old)).unwrap();
    place.write(&new, b"one\ntwo\n");
    place.take(&[&new]);
    assert_eq!(
        place.extracted().into_keys().collect::<Vec<_>>(),
        std::slice::from_ref(&new)
    );
    // Everything vanishes: nothing is taken, nothing changes.
    fs::remove_file(place.config().join(&new)).unwrap();
    assert_eq!(place.take(&[&new]), Taken::default());
    assert_eq!(place.content(&new), b"one\ntwo\n");
    assert!(place.vault.open(place.session, &old).unwrap().is_some());
}

#[test]
fn damage_is_found_and_never_given_back() {
    let place = Place::new();
    let name = place.transcript();
    place.write(&name, &noise(3_000_000, 5));
    place.take(&[&name]);
    let pack = super::pack::path(&place.vault.session_directory(place.session), 1);
    let sound = fs::read(&pack).unwrap();
    for damage in [0, sound.len() / 2, sound.len() - 1] {
        let mut bytes = sound.clone();
        bytes[damage] ^= 1;
        fs::write(&pack, &bytes).unwrap();
        let found = place.vault.verify(place.session).unwrap();
        assert_eq!(found.len(), 1, "byte {damage}");
        let into = place.root.path().join(format!("out{damage}"));
        place
            .vault
            .extract(&Effects::apply(), place.session, &into)
            .unwrap_err();
        assert!(!into.join(&name).exists());
    }
    fs::write(&pack, &sound[..100]).unwrap();
    assert_eq!(place.vault.verify(place.session).unwrap().len(), 1);
}

#[test]
fn stopped_at_any_step_the_copy_is_the_old_one_or_the_new_one() {
    let name = |place: &Place| place.transcript();
    let steps = {
        let place = Place::new();
        place.write(&name(&place), b"old\n");
        place.take(&[&name(&place)]);
        place.write(&name(&place), b"old\nnew\n");
        let effects = Effects::faulty(FaultPlan::count_only());
        place.take_with(&effects, &[&name(&place)]).unwrap();
        effects.steps_taken()
    };
    assert!(steps >= 4);
    for step in 0..steps {
        for fault in [Fault::Stop, Fault::Error(28), Fault::Error(122)] {
            let place = Place::new();
            let name = name(&place);
            place.write(&name, b"old\n");
            place.take(&[&name]);
            place.write(&name, b"old\nnew\n");
            let _ = place.take_with(&Effects::faulty(FaultPlan::new(step, fault)), &[&name]);
            assert!(place.vault.verify(place.session).unwrap().is_empty(), "step {step}");
            let content = place.content(&name);
            assert!(content == b"old\n" || content == b"old\nnew\n", "step {step}");
            // And the next take makes it whole, without a trace of the failed one.
            place.take(&[&name]);
            assert_eq!(place.content(&name), b"old\nnew\n");
            assert!(
                fs::read_dir(place.vault.session_directory(place.session))
                    .unwrap()
                    .count()
                    <= 4
            );
        }
    }
}

#[test]
fn many_small_takes_don_t_pile_up() {
    let place = Place::new();
    let name = place.transcript();
    let all = noise(1_200_000, 6);
    for end in (0..=40).map(|round| 1_000_000 + round * 5_000) {
        place.write(&name, &all[..end]);
        place.take(&[&name]);
    }
    let stored = place.vault.stored_bytes(place.session).unwrap();
    assert!(stored < 7_000_000, "{stored}");
    assert!(
        super::pack::numbers(&place.vault.session_directory(place.session))
            .unwrap()
            .len()
            <= 33
    );
    assert!(place.content(&name) == all);
}

#[test]
fn a_dropped_copy_is_gone() {
    let place = Place::new();
    let name = place.transcript();
    place.write(&name, b"x\n");
    let half_written = place.vault.session_directory(place.session).join(".sexton-Ab12.tmp");
    let leave = || fs::write(&half_written, "{").unwrap();
    place.take(&[&name]);
    leave();
    place.write(&name, b"x\ny\n");
    place.take(&[&name]);
    assert!(!half_written.exists(), "the next take tidies it away");
    leave();
    assert_eq!(place.vault.sessions().unwrap(), [place.session]);
    assert!(place.vault.drop_copy(&Effects::apply(), place.session).unwrap() > 0);
    assert!(place.vault.sessions().unwrap().is_empty());
    let error = place.vault.drop_copy(&Effects::apply(), place.session).unwrap_err();
    assert!(matches!(error, VaultError::NoCopy(_)));
}

#[test]
fn a_part_is_read_without_the_rest() {
    use std::io::Read;
    let place = Place::new();
    let name = place.transcript();
    let all = noise(3_000_000, 7);
    place.write(&name, &all);
    place.take(&[&name]);
    for offset in [0, 1, 1_048_575, 1_048_576, 2_999_999, 3_000_000, 9_999_999] {
        let mut reader = place.vault.open(place.session, &name).unwrap().unwrap();
        reader.seek_to(offset).unwrap();
        let mut part = Vec::new();
        reader.take(100).read_to_end(&mut part).unwrap();
        let start = usize::try_from(offset).unwrap().min(all.len());
        assert_eq!(part, all[start..(start + 100).min(all.len())], "{offset}");
    }
}

#[test]
fn what_was_extracted_is_held_as_long_as_it_is_what_the_copy_holds() {
    let place = Place::new();
    let transcript = place.transcript();
    let beside = transcript.with_extension("").join("subagents/agent-1.jsonl");
    let link = transcript.with_extension("").join("link");
    place.write(&transcript, &noise(1_500_000, 1));
    place.write(&beside, b"a line\n");
    std::os::unix::fs::symlink("nowhere", place.config().join(&link)).unwrap();
    place.take(&[&transcript, &beside, &link]);
    let extracted = || {
        let into = tempfile::tempdir().unwrap();
        let copy = into.path().join("copy");
        place.vault.extract(&Effects::apply(), place.session, &copy).unwrap();
        fs::write(copy.join("projects/.sexton-x.tmp"), "half").unwrap();
        fs::write(copy.join("lock"), "").unwrap();
        (into, copy)
    };
    let is_held = |change: &dyn Fn(&Path)| {
        let (_into, copy) = extracted();
        change(&copy);
        place.vault.holds_all(&copy).unwrap()
    };
    assert!(is_held(&|_| ()));
    assert!(place.vault.holds_all(Path::new("/nowhere")).unwrap());
    // Cut short, or moved away.
    assert!(is_held(&|copy| fs::write(
        copy.join(&transcript),
        &noise(1_500_000, 1)[..1_200_000]
    )
    .unwrap()));
    assert!(is_held(&|copy| fs::remove_file(copy.join(&beside)).unwrap()));
    // Gone on with, something else, or somebody else's.
    assert!(!is_held(
        &|copy| fs::write(copy.join(&transcript), noise(1_500_001, 1)).unwrap()
    ));
    assert!(!is_held(&|copy| fs::write(copy.join(&beside), "a word\n").unwrap()));
    assert!(!is_held(&|copy| {
        fs::remove_file(copy.join(&link)).unwrap();
        std::os::unix::fs::symlink("elsewhere", copy.join(&link)).unwrap();
    }));
    assert!(!is_held(&|copy| fs::write(copy.join("notes"), "mine").unwrap()));
    let other = format!("projects/-w/{}.jsonl", SessionId::from_u128(43));
    assert!(!is_held(&|copy| fs::write(copy.join(&other), "another").unwrap()));
    // What was replaced since is kept beside.
    let (_into, copy) = extracted();
    place.write(&transcript, b"rewritten\n");
    place.take(&[&transcript, &beside, &link]);
    assert!(place.vault.holds_all(&copy).unwrap());
    place.vault.drop_copy(&Effects::apply(), place.session).unwrap();
    assert!(!place.vault.holds_all(&copy).unwrap());
}
