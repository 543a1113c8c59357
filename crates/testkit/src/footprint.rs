//! Everything that one session leaves in a configuration directory.

use std::fs;
use std::path::{Path, PathBuf};

use crate::registry::write_private;

/// A planted footprint: what belongs to the session, what is only mentioned, what must never be touched.
#[derive(Debug, Clone)]
pub struct Footprint {
    /// Goes along with the session: files, and directories that are its own as a whole.
    pub own: Vec<PathBuf>,
    /// With care: mentioned in a plan, never touched.
    pub shared: Vec<PathBuf>,
    /// Belongs to somebody else.
    pub foreign: Vec<PathBuf>,
}

impl Footprint {
    /// Plants, beside a transcript that lies at `transcript`, everything that Claude Code has been seen to keep about a session.
    ///
    /// The transcript itself isn't written, but counts as the session's own. The neighbours in `foreign` have names that begin
    /// like the session's or belong to its project.
    pub fn plant(config_dir: &Path, transcript: &Path) -> Self {
        let id = transcript.file_stem().unwrap().to_str().unwrap().to_owned();
        let project = transcript.parent().unwrap();
        let directory = project.join(&id);
        plant_session_directory(&directory, &id);

        let mut own = vec![transcript.to_path_buf(), directory];
        for name in [
            format!("{id}.orphaned-1796000000000-ab12cd.jsonl"),
            format!("{id}.jsonl.superseded-1796000000000"),
        ] {
            own.push(plant(
                &project.join(name),
                &format!("{{\"type\":\"mode\",\"sessionId\":\"{id}\"}}\n"),
            ));
        }
        for (name, content) in [
            ("file-history/{id}/3f2a91bc77d0e1f2@v1", "fn main() {}\n"),
            ("session-env/{id}/sessionstart-hook-0.sh", "export A=1\n"),
            ("tasks/{id}/1.json", "{\"id\":\"1\",\"subject\":\"mend the parser\"}"),
            ("uploads/{id}/diagram.png", "\u{89}PNG"),
            ("image-cache/{id}/1.png", "\u{89}PNG"),
            ("dev-mods/{id}/mod.json", "{}"),
        ] {
            let path = plant(&config_dir.join(name.replace("{id}", &id)), content);
            own.push(path.parent().unwrap().to_path_buf());
        }
        own.push(plant(&config_dir.join(format!("todos/{id}-agent-{id}.json")), "[]"));
        own.push(plant(
            &config_dir.join(format!("debug/{id}.txt")),
            "2026-11-30 started\n",
        ));

        let history = config_dir.join("history.jsonl");
        let line =
            format!("{{\"display\":\"mend the parser\",\"project\":\"/home/dev/sample\",\"sessionId\":\"{id}\"}}\n");
        let before = fs::read_to_string(&history).unwrap_or_default();
        let shared = vec![
            plant(&history, &(before + &line)),
            plant(&config_dir.join(format!("jobs/{}/state.json", &id[..8])), "{}"),
            plant(&config_dir.join("plans/quiet-meadow.md"), "# Plan\n"),
        ];

        let neighbour = format!("{}-0000-4000-8000-ffffffffffff", &id[..8]);
        let foreign = vec![
            plant(&project.join("memory/MEMORY.md"), "- the tests need a database\n"),
            plant(
                &config_dir.join(format!("file-history/{neighbour}/0@v1")),
                "another session's\n",
            ),
            plant(
                &config_dir.join(format!("todos/{neighbour}-agent-{neighbour}.json")),
                "[]",
            ),
            plant(&config_dir.join("agent-memory/reviewer/MEMORY.md"), "- be kind\n"),
            plant(&config_dir.join(".credentials.json"), "{\"secret\":\"never read\"}"),
            plant(&config_dir.join("settings.json"), "{\"cleanupPeriodDays\":30}\n"),
            plant(&config_dir.join(".claude.json"), "{}"),
        ];
        Self { own, shared, foreign }
    }
}

fn plant_session_directory(directory: &Path, id: &str) {
    let side = format!("{{\"type\":\"user\",\"isSidechain\":true,\"sessionId\":\"{id}\"}}\n");
    plant(&directory.join("subagents/agent-a1b2c3d4.jsonl"), &side);
    plant(
        &directory.join("subagents/agent-a1b2c3d4.meta.json"),
        "{\"agentType\":\"Explore\"}",
    );
    plant(&directory.join("subagents/workflows/wf_1/agent-e5f60718.jsonl"), &side);
    plant(&directory.join("tool-results/toolu_01.txt"), "a long result\n");
    plant(
        &directory.join("custom-title.json"),
        "{\"customTitle\":\"parser\",\"by\":\"user\",\"at\":\"2026-11-30T11:00:00.000Z\"}",
    );
    plant(
        &directory.join("archived.json"),
        "{\"archived\":false,\"at\":\"2026-11-30T11:00:00.000Z\",\"by\":\"cli\"}",
    );
}

fn plant(path: &Path, content: &str) -> PathBuf {
    write_private(path, content.as_bytes());
    path.to_path_buf()
}
