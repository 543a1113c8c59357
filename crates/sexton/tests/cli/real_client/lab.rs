//! Playing a scenario with the client, and the service that it talks to afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use sexton_testkit::{Run, TestEnv};

use crate::support::{SEXTON, harness, shared};

/// What a scenario left.
pub(super) struct Played {
    pub(super) env: TestEnv,
    pub(super) sessions: Vec<String>,
    /// What `sexton list --json` showed while the client was idle.
    pub(super) during: Value,
    /// The client's program.
    client: PathBuf,
    /// The home that the client had.
    home: PathBuf,
}

/// The npm prefix that has the client: `$SEXTON_CLAUDE_PREFIX`, else `claude-client` in the target directory. Nothing is installed here.
fn prefix() -> Option<PathBuf> {
    let named = std::env::var_os("SEXTON_CLAUDE_PREFIX").map(PathBuf::from);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap()
        .join("claude-client");
    let prefix = named.unwrap_or(target);
    if prefix.join("node_modules/@anthropic-ai").is_dir() {
        return Some(prefix);
    }
    eprintln!(
        "skipped: neither SEXTON_CLAUDE_PREFIX nor `{}` is an npm prefix with a client",
        prefix.display()
    );
    None
}

/// Plays one scenario; `None`, with a note, where there is no client or nothing to drive it with.
///
/// While the client is idle its session is listed, and must not be taken away from under it.
#[track_caller]
pub(super) fn play(scenario: &str) -> Option<Played> {
    let script = shared("realclaude/run_session")?;
    let prefix = prefix()?;
    let mut env = TestEnv::new();
    let root = env.root().join("lab");
    fs::create_dir(&root).unwrap();
    let during = env.root().join("during.json");
    let mut command = Command::new(script);
    command
        .arg("--prefix")
        .arg(prefix)
        .args(["--no-install", "--keep", "--hook-timeout", "10", "--root"])
        .arg(&root)
        .args(["--start-hook", &format!("'{SEXTON}' hook session-start")])
        .args(["--end-hook", &format!("'{SEXTON}' hook session-end")])
        .args([
            "--env",
            &format!("SEXTON_REGISTER_DIR={}", env.register_dir().display()),
        ]);
    if scenario != "print" {
        let list = format!(
            "'{SEXTON}' list --all --json > '{}' && ! '{SEXTON}' archive $REALCLAUDE_SESSION_ID && \
             '{SEXTON}' delete $REALCLAUDE_SESSION_ID --yes | grep -q 'nothing to delete' && \
             '{SEXTON}' resume $REALCLAUDE_SESSION_ID --print 2>&1 | \
             grep -q \"it runs already as process $REALCLAUDE_CLIENT_PID on /dev/pts/\"",
            during.display()
        );
        command.args(["--during", &list]);
    }
    let result: Value = serde_json::from_str(&harness(command.arg(scenario))).unwrap();
    assert_eq!(result["ok"], true, "{result:#}");
    assert_eq!(result["model_saw_hook_output"], false, "{result:#}");
    env.set("CLAUDE_CONFIG_DIR", result["config_dir"].as_str().unwrap());
    let ids = result["session_ids"].as_array().unwrap();
    Some(Played {
        sessions: ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect(),
        during: fs::read_to_string(during).map_or(Value::Null, |text| serde_json::from_str(&text).unwrap()),
        client: result["client"].as_str().unwrap().into(),
        home: root.join("home"),
        env,
    })
}

impl Played {
    /// Runs `sexton resume` as a person would, with a prompt for the client, which talks to a service of its own.
    #[track_caller]
    pub(super) fn resume(&self, session: &str, prompt: &str) -> Run {
        let service = Service::start(&self.env);
        let mut path = self.client.parent().unwrap().as_os_str().to_owned();
        path.push(":/usr/local/bin:/usr/bin:/bin");
        let mut command = self.env.command(SEXTON);
        command
            .args(["resume", session, "--", "-p", prompt])
            .env("PATH", path)
            .env("HOME", &self.home)
            .env("SEXTON_REGISTER_DIR", self.env.register_dir())
            .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", service.port))
            .env("ANTHROPIC_API_KEY", "sk-ant-dummy");
        for switch in [
            "DISABLE_TELEMETRY",
            "DISABLE_AUTOUPDATER",
            "DISABLE_ERROR_REPORTING",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        ] {
            command.env(switch, "1");
        }
        Run::of(&mut command, b"")
    }
}

/// The stand-in for the service; it ends with this value.
struct Service {
    process: Child,
    port: u16,
}

impl Service {
    #[track_caller]
    fn start(env: &TestEnv) -> Self {
        let port_file = env.root().join("port");
        let _ = fs::remove_file(&port_file);
        let process = Command::new("python3")
            .arg(shared("realclaude/mock_api.py").unwrap())
            .arg("--port-file")
            .arg(&port_file)
            .arg("--log")
            .arg(env.root().join("api.jsonl"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut service = Self { process, port: 0 };
        let begun = Instant::now();
        while service.port == 0 {
            assert!(begun.elapsed() < Duration::from_mins(1), "the service does not start");
            let text = fs::read_to_string(&port_file).unwrap_or_default();
            service.port = text.trim().parse().unwrap_or(0);
            thread::yield_now();
        }
        service
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
