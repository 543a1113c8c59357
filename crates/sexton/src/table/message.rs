//! What wakes the table, and the threads that wait for it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crossterm::event::{Event, KeyEvent, KeyEventKind};
use sexton_sys::{Signal, Signals};

use super::model::News;
use super::scout::Hint;
use super::terminal::is_entered;

/// Something happened.
#[derive(Debug)]
pub(super) enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size.
    Resized,
    /// The terminal is gone.
    InputEnded,
    /// Somebody asks the program to end.
    Signal(Signal),
    /// Something was found out or done.
    News(News),
    /// The machine was looked at.
    Looked {
        /// How long that took.
        cost: Duration,
        /// Whether the catalogue has read all there is to read.
        is_complete: bool,
    },
    /// Files changed.
    Hint(Hint),
    /// From now on nothing is told about files.
    WatchEnded,
    /// A thread died.
    Died,
}

/// Lets the thread that reads the terminal go on: it waits after each event, so that nobody reads what is meant for a client.
#[derive(Debug)]
pub(super) struct Input(Sender<()>);

impl Input {
    /// Starts to read the terminal.
    pub(super) fn start(messages: Sender<Message>) -> Self {
        let (go_on, wait) = channel();
        spawn(messages, move |messages| read_terminal(messages, &wait));
        Self(go_on)
    }

    /// What it read was dealt with.
    pub(super) fn go_on(&self) {
        // It may have ended with its terminal.
        let _ = self.0.send(());
    }
}

fn read_terminal(messages: &Sender<Message>, wait: &Receiver<()>) {
    loop {
        let message = match crossterm::event::read() {
            Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => Message::Key(key),
            Ok(Event::Paste(text)) => Message::Paste(text),
            Ok(Event::Resize(..)) => Message::Resized,
            Ok(_) => continue,
            Err(_) => {
                // Nobody is left to be told if the table has gone, too.
                let _ = messages.send(Message::InputEnded);
                return;
            }
        };
        if messages.send(message).is_err() || wait.recv().is_err() {
            return;
        }
    }
}

/// Passes signals on.
pub(super) fn forward_signals(mut signals: Signals, messages: Sender<Message>) {
    spawn(messages, move |messages| {
        while let Some(signal) = signals.wait() {
            // While a client has the screen, Ctrl+C is meant for the client.
            if signal == Signal::Interrupt && !is_entered() {
                continue;
            }
            if messages.send(Message::Signal(signal)).is_err() {
                return;
            }
        }
    });
}

/// A thread whose death is told.
pub(super) fn spawn(
    messages: Sender<Message>,
    work: impl FnOnce(&Sender<Message>) + Send + 'static,
) -> thread::JoinHandle<()> {
    struct Obituary(Sender<Message>);
    impl Drop for Obituary {
        fn drop(&mut self) {
            if thread::panicking() {
                let _ = self.0.send(Message::Died);
            }
        }
    }
    thread::spawn(move || {
        let obituary = Obituary(messages);
        work(&obituary.0);
    })
}
