//! Finds where a JSON object ends, without parsing it.

/// Follows brackets and strings through pieces of input. Whether what lies between them is JSON is for a parser to say; any
/// brackets count alike, so that `{]` ends too instead of waiting for more.
#[derive(Debug, Default)]
pub(super) struct ObjectScanner {
    depth: usize,
    state: State,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Before,
    Between,
    InString,
    AfterBackslash,
}

/// What a piece of input brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// The object is not complete.
    More,
    /// The object ends after this many bytes of the piece.
    End(usize),
    /// The input begins with something else.
    NotAnObject,
}

impl ObjectScanner {
    pub(super) fn feed(&mut self, piece: &[u8]) -> Scan {
        for (index, byte) in piece.iter().enumerate() {
            self.state = match (self.state, byte) {
                (State::Before, b' ' | b'\t' | b'\n' | b'\r') => State::Before,
                (State::Before, b'{') | (State::Between, b'{' | b'[') => {
                    self.depth += 1;
                    State::Between
                }
                (State::Before, _) => return Scan::NotAnObject,
                (State::Between, b'}' | b']') => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Scan::End(index + 1);
                    }
                    State::Between
                }
                (State::Between, b'"') | (State::AfterBackslash, _) => State::InString,
                (State::InString, b'"') => State::Between,
                (State::InString, b'\\') => State::AfterBackslash,
                (state, _) => state,
            };
        }
        Scan::More
    }
}
