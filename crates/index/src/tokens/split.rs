//! Cuts a text into compounds (words, identifiers, paths) and runs of ideographs, and a compound into its atoms.

use std::ops::Range;

use super::class::byte::{BREAK, FLAGS, JOINER, LONGER, LOWER, PLAIN, UPPER};
use super::class::{self, Class};

/// At most so many joiners in a row hold two words together: `std::fs`, `https://host`.
const MOST_JOINERS: usize = 3;

/// One piece of a text that yields tokens, as it stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit<'t> {
    /// A word that is its own compared form: lower-case ASCII letters and digits.
    Plain(&'t str),
    /// A word of ASCII letters and digits without humps: its compared form is in lower case.
    Simple(&'t str),
    /// Words held together by joiners, such as `src/main.rs` or `getUserById`, or one of any letters.
    Compound(&'t str),
    /// Characters of a script without blanks.
    Ideographs(&'t str),
}

/// Calls `see` with each unit of `text`, in order, and where it begins.
pub(crate) fn each_unit<'t>(text: &'t str, mut see: impl FnMut(usize, Unit<'t>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let flags = FLAGS[usize::from(*byte)];
        if flags & (JOINER | BREAK) != 0 {
            at += 1;
            continue;
        }
        if flags & (PLAIN | UPPER) != 0
            && let Some((end, unit)) = simple_word(text, at)
        {
            see(at, unit);
            at = end;
            continue;
        }
        let (class, length) = class_at(text, at);
        match class {
            Class::Word => {
                let end = end_of_compound(text, at);
                see(at, Unit::Compound(&text[at..end]));
                at = end;
            }
            Class::Ideograph => {
                let end = end_of_run(text, at, Class::Ideograph);
                see(at, Unit::Ideographs(&text[at..end]));
                at = end;
            }
            Class::Joiner | Class::Break => at += length,
        }
    }
}

/// The word of ASCII letters and digits at `start`, and where it ends, if it has no humps and nothing is joined to it.
fn simple_word(text: &str, start: usize) -> Option<(usize, Unit<'_>)> {
    let bytes = text.as_bytes();
    let mut end = start;
    let mut all = 0;
    let after = loop {
        let Some(byte) = bytes.get(end) else { break BREAK };
        let flags = FLAGS[usize::from(*byte)];
        if flags & (PLAIN | UPPER) == 0 {
            break flags;
        }
        all |= flags;
        end += 1;
    };
    match after {
        LONGER => return None,
        // Joined to nothing, as at the end of a sentence.
        JOINER
            if bytes
                .get(end + 1)
                .is_some_and(|next| FLAGS[usize::from(*next)] & BREAK == 0) =>
        {
            return None;
        }
        _ => {}
    }
    let word = &text[start..end];
    if all & UPPER == 0 {
        return Some((end, Unit::Plain(word)));
    }
    // There is no hump without an upper-case letter behind the first, and none without a lower-case one.
    let is_simple = all & LOWER == 0 || !bytes[start + 1..end].iter().any(u8::is_ascii_uppercase);
    is_simple.then_some((end, Unit::Simple(word)))
}

/// Class and length in bytes of the character at `at`, which must be a boundary before the end.
fn class_at(text: &str, at: usize) -> (Class, usize) {
    if let Some(class) = class::of_ascii(text.as_bytes()[at]) {
        return (class, 1);
    }
    match text[at..].chars().next() {
        Some(character) => (class::of(character), character.len_utf8()),
        None => (Class::Break, 1),
    }
}

fn end_of_run(text: &str, mut at: usize, wanted: Class) -> usize {
    while at < text.len() {
        let (class, length) = class_at(text, at);
        if class != wanted {
            break;
        }
        at += length;
    }
    at
}

fn end_of_compound(text: &str, start: usize) -> usize {
    let mut end = end_of_run(text, start, Class::Word);
    loop {
        // Joiners are ASCII, one byte each.
        let next = end_of_run(text, end, Class::Joiner);
        let goes_on =
            (1..=MOST_JOINERS).contains(&(next - end)) && next < text.len() && class_at(text, next).0 == Class::Word;
        if !goes_on {
            return end;
        }
        end = end_of_run(text, next, Class::Word);
    }
}

/// A compound in its compared form, cut at joiners and at humps (`get|User|By|Id`).
#[derive(Debug, Default)]
pub(crate) struct Compound {
    /// The whole, folded.
    pub(crate) folded: String,
    /// The smallest parts, as ranges of `folded`.
    pub(crate) atoms: Vec<Range<usize>>,
    /// The parts between joiners, as ranges of indices of `atoms`.
    pub(crate) runs: Vec<Range<usize>>,
}

impl Compound {
    /// Cuts `text`, a [`Unit::Compound`], reusing this value's memory.
    pub(crate) fn cut(&mut self, text: &str) {
        self.folded.clear();
        self.atoms.clear();
        self.runs.clear();
        if text.is_ascii() {
            return self.cut_ascii(text);
        }
        let mut before = Hump::None;
        let mut atom_start = 0;
        let mut run_start = 0;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let at = self.folded.len();
            if class::of(character) == Class::Joiner {
                self.close_atom(atom_start);
                self.close_run(&mut run_start);
                class::fold(character, &mut self.folded);
                atom_start = self.folded.len();
                before = Hump::None;
                continue;
            }
            let hump = Hump::of(character);
            let next_is_lower = characters.peek().is_some_and(|next| next.is_lowercase());
            let boundary = match (before, hump) {
                (Hump::Lower, Hump::Upper) => true,
                (Hump::Upper | Hump::Digit, Hump::Upper) => next_is_lower,
                _ => false,
            };
            if boundary {
                self.close_atom(atom_start);
                atom_start = at;
            }
            class::fold(character, &mut self.folded);
            before = hump;
        }
        self.close_atom(atom_start);
        self.close_run(&mut run_start);
    }

    /// The same for text that keeps its length.
    fn cut_ascii(&mut self, text: &str) {
        self.folded.push_str(text);
        self.folded.make_ascii_lowercase();
        let bytes = text.as_bytes();
        let mut before = JOINER;
        let mut start = 0;
        let mut run = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let flags = FLAGS[usize::from(*byte)];
            let is_boundary = match flags {
                JOINER => true,
                UPPER => {
                    before & LOWER != 0 || before != JOINER && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
                }
                _ => false,
            };
            if is_boundary {
                if start < at {
                    self.atoms.push(start..at);
                }
                start = at;
                if flags == JOINER {
                    start += 1;
                    self.close_run(&mut run);
                }
            }
            before = flags;
        }
        if start < bytes.len() {
            self.atoms.push(start..bytes.len());
        }
        self.close_run(&mut run);
    }

    fn close_atom(&mut self, start: usize) {
        if start < self.folded.len() {
            self.atoms.push(start..self.folded.len());
        }
    }

    fn close_run(&mut self, start: &mut usize) {
        if *start < self.atoms.len() {
            self.runs.push(*start..self.atoms.len());
        }
        *start = self.atoms.len();
    }

    /// The folded text of atoms `from` to `to`, with all between them.
    pub(crate) fn span(&self, from: usize, to: usize) -> &str {
        &self.folded[self.atoms[from].start..self.atoms[to].end]
    }

    /// The text of the run at `index`.
    pub(crate) fn run(&self, index: usize) -> &str {
        let atoms = &self.runs[index];
        self.span(atoms.start, atoms.end - 1)
    }

    /// The text of the run at `index` and the next one, with the joiners between.
    pub(crate) fn run_pair(&self, index: usize) -> &str {
        self.span(self.runs[index].start, self.runs[index + 1].end - 1)
    }
}

/// What a letter does to the outline of an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hump {
    None,
    Lower,
    Upper,
    Digit,
}

impl Hump {
    pub(crate) fn of(character: char) -> Self {
        if character.is_lowercase() {
            Self::Lower
        } else if character.is_uppercase() {
            Self::Upper
        } else if character.is_ascii_digit() {
            Self::Digit
        } else {
            Self::None
        }
    }
}
