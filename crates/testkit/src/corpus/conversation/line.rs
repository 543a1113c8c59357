//! Records and the text in them, byte by byte.

use std::io::Write as _;

use super::Conversation;
use crate::corpus::plan::uuid;
use crate::corpus::vocabulary::{Pieces, Vocabulary};
use crate::time::iso;

impl<'a> Conversation<'a> {
    pub(super) fn begin(&mut self, kind: &str) {
        self.now_ms += i64::try_from(self.random.between(5, 3_000)).unwrap();
        let parent = std::mem::take(&mut self.parent);
        let head = std::mem::take(&mut self.head);
        self.push(&["{\"parentUuid\":", &parent, &head]);
        self.head = head;
        if kind != "assistant" {
            self.push(&["\"type\":\"", kind, "\","]);
        }
    }

    pub(super) fn end(&mut self) {
        self.parent = format!("\"{}\"", uuid(&mut self.random));
        let parent = std::mem::take(&mut self.parent);
        let tail = std::mem::take(&mut self.tail);
        self.push(&[
            ",\"uuid\":",
            &parent,
            ",\"timestamp\":\"",
            &iso(self.now_ms),
            "\"",
            &tail,
        ]);
        (self.parent, self.tail) = (parent, tail);
    }

    /// Sentences, now and then with a word that only this session uses.
    pub(super) fn prose(&mut self, sentences: usize) {
        for _ in 0..sentences {
            let pieces = if self.speaks_cjk && self.random.percent(50) {
                &self.words.cjk
            } else {
                &self.words.sentences
            };
            self.out.push_str(pieces.draw(&mut self.random));
            self.out.push(' ');
            if self.random.percent(8) {
                let word = self.random.below(self.own_words.len());
                self.out.push_str(&self.own_words[word]);
                self.out.push(' ');
            }
        }
    }

    pub(super) fn prose_of(&mut self, bytes: usize) {
        let end = self.out.len() + bytes;
        while self.out.len() < end {
            self.out.push_str(self.words.sentences.draw(&mut self.random));
            self.out.push_str("\\n");
        }
    }

    pub(super) fn lines(&mut self, pieces: impl Fn(&'a Vocabulary) -> &'a Pieces, bytes: usize) {
        let end = self.out.len() + bytes;
        while self.out.len() < end {
            self.out.push_str(pieces(self.words).draw(&mut self.random));
            self.out.push_str("\\n");
        }
    }

    pub(super) fn push(&mut self, parts: &[&str]) {
        for part in parts {
            self.out.push_str(part);
        }
    }

    pub(super) fn flush(&mut self) {
        self.file.write_all(self.out.as_bytes()).unwrap();
        self.written += self.out.len() as u64;
        self.out.clear();
        self.prompt = 0..0;
    }
}
