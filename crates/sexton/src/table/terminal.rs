//! Entering the screen, and leaving it as it was, whatever happens.

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;

use super::model::Window;

/// Whether the screen is ours right now.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Whether the screen is ours: otherwise somebody else has it, or nobody.
pub(super) fn is_entered() -> bool {
    ENTERED.load(Ordering::SeqCst)
}

/// The screen; dropping it leaves it.
#[derive(Debug)]
pub(super) struct Terminal(ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>);

impl Terminal {
    /// Takes the screen over.
    pub(super) fn enter() -> io::Result<Self> {
        restore_on_panic();
        take_over()?;
        let terminal = ratatui::Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(64 * 1024, stdout())));
        match terminal {
            Ok(terminal) => Ok(Self(terminal)),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    /// Its size.
    pub(super) fn window(&self) -> Window {
        let size = self.0.size().unwrap_or_default();
        Window {
            columns: usize::from(size.width),
            rows: usize::from(size.height),
        }
    }

    /// Draws a frame; only what changed is sent, and shown at once where the terminal can do that.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        execute_buffered(&mut self.0, BeginSynchronizedUpdate)?;
        self.0.draw(draw)?;
        execute!(self.0.backend_mut(), EndSynchronizedUpdate)
    }

    /// The next frame is drawn whole, whatever the screen shows.
    pub(super) fn redraw(&mut self) -> io::Result<()> {
        self.0.clear()
    }

    /// Gives the screen back while `work` has it.
    pub(super) fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let result = work();
        take_over()?;
        self.0.clear()?;
        Ok(result)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

fn execute_buffered(
    terminal: &mut ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    command: impl crossterm::Command,
) -> io::Result<()> {
    crossterm::queue!(terminal.backend_mut(), command).map(drop)
}

fn take_over() -> io::Result<()> {
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    // Without line wrap, a terminal that finds a character wider than we do can't scroll the last line away.
    let entered = execute!(
        stdout(),
        EnterAlternateScreen,
        EnableBracketedPaste,
        DisableLineWrap,
        Hide
    );
    if entered.is_err() {
        give_back();
    }
    entered
}

/// Puts the terminal back as it was; does nothing the second time.
fn give_back() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    // The terminal may be gone: then there is nothing to put in order.
    let _ = execute!(
        stdout(),
        EndSynchronizedUpdate,
        ResetColor,
        EnableLineWrap,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
    let _ = stdout().flush();
}

/// A panic's message belongs on the person's own screen.
fn restore_on_panic() {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
    });
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the test runs itself in a terminal, and panics there"
)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::Terminal;

    /// Set for the process that has the terminal.
    const INSIDE: &str = "SEXTON_TEST_PANICS_IN_A_TERMINAL";

    fn tmux(socket: &str, arguments: &[&str]) -> String {
        let output = Command::new("tmux").args(["-u", "-S", socket]).args(arguments).output();
        String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
    }

    #[test]
    fn a_panic_gives_the_terminal_back() {
        if std::env::var_os(INSIDE).is_some() {
            let mut terminal = Terminal::enter().unwrap();
            terminal
                .draw(|frame| frame.render_widget("the table", frame.area()))
                .unwrap();
            // As a thread of the table would, while the screen is still ours.
            let _ = std::thread::spawn(|| panic!("something is wrong")).join();
            panic!("and here, too");
        }
        let probe = Command::new("tmux").arg("-V").stdout(Stdio::null()).status();
        if !probe.is_ok_and(|status| status.success()) {
            eprintln!("skipped: there is no tmux");
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("tmux").to_str().unwrap().to_owned();
        let program = std::env::current_exe().unwrap();
        let test = "table::terminal::tests::a_panic_gives_the_terminal_back";
        let script = format!(
            "{INSIDE}=1 RUST_BACKTRACE=0 '{}' --exact {test} --nocapture; stty -a; echo 'the end'; sleep 60",
            program.display()
        );
        tmux(
            &socket,
            &[
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                "100",
                "-y",
                "50",
                "sh",
                "-c",
                &script,
            ],
        );
        let began = Instant::now();
        let screen = loop {
            let screen = tmux(&socket, &["capture-pane", "-p"]);
            if screen.contains("the end") || began.elapsed() > Duration::from_mins(1) {
                break screen;
            }
        };
        let alternate = tmux(
            &socket,
            &["display-message", "-p", "#{alternate_on} #{cursor_flag} #{wrap_flag}"],
        );
        tmux(&socket, &["kill-server"]);
        assert_eq!(alternate.trim(), "0 1 1", "{screen}");
        for part in ["something is wrong", "and here, too", " icanon ", " echo "] {
            assert!(screen.contains(part), "no {part:?} in:\n{screen}");
        }
        assert!(!screen.contains("the table"), "{screen}");
    }
}
