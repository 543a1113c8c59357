//! The index: queries and the vault.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use sexton_claude::config_dirs::{ConfigDirectory, Origin};
use sexton_index::catalogue::Catalogue;
use sexton_index::facts::FactStore;
use sexton_index::pass::{self, PassRequest};
use sexton_index::query::{Filter, Query, SearchRequest, Sort, View};
use sexton_index::search::{SearchContext, search};
use sexton_index::texts::Texts;
use sexton_index::tokens::{Needs, Tokenizer};
use sexton_index::vault::{Manifest, Vault};
use sexton_register::SessionId;
use sexton_sys::Effects;
use tempfile::TempDir;

use crate::scratch;

/// `hello` as one frame of zstd, which the seeds' manifests list.
const HELLO_FRAME: &[u8] = b"\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello";

const NOW_MS: i64 = 1_767_268_800_000;

thread_local! {
    static MACHINE: OnceCell<(TempDir, Catalogue)> = const { OnceCell::new() };
}

/// A query, and behind a NUL a text: what can be planned is never an error of the engine, and a text that the query describes has
/// what the plan needs, so that the engine can't hide it.
pub fn query(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (query, text) = text.split_once('\0').unwrap_or((text, text));
    let query = Query::parse(query);
    let Ok(plan) = query.plan() else { return };
    for text in [
        text,
        &query
            .positive_terms()
            .map(|term| term.text.as_str())
            .collect::<Vec<_>>()
            .join(" "),
    ] {
        if query.matches(text) {
            let mut tokens = BTreeSet::new();
            Tokenizer::new().each(text, |token| {
                tokens.insert(token.to_owned());
            });
            assert!(
                has(&tokens, &plan.needs),
                "{:?} hides {text:?}, which has {tokens:?}",
                plan.needs
            );
            assert!(plan.verification.holds(text));
        }
    }
    MACHINE.with(|machine| {
        let (directory, catalogue) = machine.get_or_init(machine_with_a_session);
        let vault = Vault::new(directory.path().join("vault"));
        let context = SearchContext {
            texts: Texts {
                vault: &vault,
                archives: &[],
            },
            tombstones: &sexton_yard::tombstones::Tombstones::default(),
            facts: &sexton_index::facts::Facts::default(),
            names: &[],
            width: 60,
        };
        let request = SearchRequest {
            query,
            filter: Filter::default(),
            sort: Sort::Relevance,
            view: View::Messages,
            limit: 10,
            now_ms: NOW_MS,
        };
        search(catalogue, context, &request).expect("a planned query can be answered");
    });
}

fn has(tokens: &BTreeSet<String>, needs: &Needs) -> bool {
    match needs {
        Needs::Token(token) => tokens.contains(token),
        Needs::Prefix(prefix) => tokens.iter().any(|token| token.starts_with(prefix.as_str())),
        Needs::All(all) => all.iter().all(|needs| has(tokens, needs)),
        Needs::Any(any) => any.iter().any(|needs| has(tokens, needs)),
    }
}

fn machine_with_a_session() -> (TempDir, Catalogue) {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config");
    let session = SessionId::from_u128(7);
    fs::create_dir_all(config.join("projects/-w")).unwrap();
    let records = [
        "a deadlock in src/main.rs",
        "日本語 naïve café",
        "foo_bar-baz OR \"quoted\" *",
    ]
    .map(|text| {
        let message = serde_json::json!({"role": "user", "content": text});
        format!("{}\n", serde_json::json!({"type": "user", "message": message}))
    });
    fs::write(config.join(format!("projects/-w/{session}.jsonl")), records.concat()).unwrap();
    let mut catalogue = Catalogue::open(
        &directory.path().join("cache/catalogue.sqlite"),
        &Effects::apply(),
        NOW_MS,
    )
    .unwrap();
    let config_dirs = [ConfigDirectory {
        path: config.clone(),
        real: config,
        origin: Origin::Option,
    }];
    let request = PassRequest {
        config_dirs: &config_dirs,
        tombstone_dir: &directory.path().join("stones"),
        archived: &BTreeMap::new(),
        facts: &FactStore::new(directory.path().join("data")),
        vault: &Vault::new(directory.path().join("vault")),
        keep: None,
        tool_output: true,
        now_ms: NOW_MS,
        waits: false,
        should_stop: &|| false,
        should_stop_copying: &|| false,
        progress: &|_| {},
    };
    assert!(pass::run(&mut catalogue, &Effects::apply(), request).unwrap().finished);
    (directory, catalogue)
}

/// A manifest of the vault's: written again it is the same, and giving back what it lists touches nothing outside.
pub fn vault_manifest(bytes: &[u8]) {
    let session = SessionId::from_u128(7);
    scratch::with(|directory| {
        let vault = Vault::new(directory.join("vault"));
        let home = vault.session_directory(session);
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("manifest.json"), bytes).unwrap();
        // The pack that the seeds' chunks lie in.
        fs::write(home.join("000001.pack"), HELLO_FRAME).unwrap();
        let outside = directory.join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("a"), "stays").unwrap();

        let Ok(Some(manifest)) = vault.manifest(session) else {
            return;
        };
        for file in manifest.files() {
            assert!(is_below(&file), "{}", file.display());
            let _ = vault.open(session, &file);
        }
        let _ = (
            vault.status(session),
            vault.verify(session),
            vault.stored_bytes(session),
        );
        let into = directory.join("into");
        let _ = vault.extract(&Effects::apply(), session, &into);
        assert_untouched(directory);

        let written = serde_json::to_vec(&manifest).unwrap();
        let again: Manifest = serde_json::from_slice(&written).unwrap();
        assert_eq!((&again, serde_json::to_vec(&again).unwrap()), (&manifest, written));
    });
}

fn is_below(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn assert_untouched(directory: &Path) {
    let names = |path: &Path| -> BTreeSet<_> {
        fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect()
    };
    assert!(
        names(directory)
            .iter()
            .all(|name| ["vault", "outside", "into"].iter().any(|known| name == *known))
    );
    assert_eq!(names(&directory.join("outside")).len(), 1);
    assert_eq!(fs::read(directory.join("outside/a")).unwrap(), b"stays");
}
