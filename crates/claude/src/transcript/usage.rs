//! Tokens, each of the API's answers counted once.

use std::collections::{HashSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::raw::{self, Raw};

/// Tokens as the API counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Sent and not cached.
    pub input: u64,
    /// Received.
    pub output: u64,
    /// Sent and written to the cache.
    pub cache_creation: u64,
    /// Sent and found in the cache.
    pub cache_read: u64,
}

impl Usage {
    /// The usage in `raw`, an object as the API gives it.
    pub(crate) fn parse(raw: Raw<'_>) -> Option<Self> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct RawUsage<'a> {
            #[serde(borrow, rename = "input_tokens")]
            input: Raw<'a>,
            #[serde(borrow, rename = "output_tokens")]
            output: Raw<'a>,
            #[serde(borrow, rename = "cache_creation_input_tokens")]
            cache_creation: Raw<'a>,
            #[serde(borrow, rename = "cache_read_input_tokens")]
            cache_read: Raw<'a>,
        }

        let raw: RawUsage<'_> = raw::object(Some(raw?));
        let count = |tokens| raw::count(tokens).unwrap_or(0);
        Some(Self {
            input: count(raw.input),
            output: count(raw.output),
            cache_creation: count(raw.cache_creation),
            cache_read: count(raw.cache_read),
        })
    }

    /// All tokens together.
    #[must_use]
    pub fn total(&self) -> u64 {
        [self.input, self.output, self.cache_creation, self.cache_read]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    fn add(&mut self, other: Self) {
        self.each_with(other, u64::saturating_add);
    }

    fn subtract(&mut self, other: Self) {
        self.each_with(other, u64::saturating_sub);
    }

    fn each_with(&mut self, other: Self, with: fn(u64, u64) -> u64) {
        self.input = with(self.input, other.input);
        self.output = with(self.output, other.output);
        self.cache_creation = with(self.cache_creation, other.cache_creation);
        self.cache_read = with(self.cache_read, other.cache_read);
    }
}

/// Answers whose usage may still grow: the lines of one answer lie close together.
const OPEN_ANSWERS: usize = 64;

/// Answers that are remembered as counted. More would be more exact on damaged files alone, and make the state larger.
const KNOWN_ANSWERS: usize = 16 * 1024;

/// Which answers have been counted, in bounded memory.
///
/// One answer is several lines with one (`message.id`, `requestId`) whose usage grows: the largest counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnswerLedger {
    open: VecDeque<(u64, Usage)>,
    closed: VecDeque<u64>,
    /// `closed` as a set; made anew after loading.
    #[serde(skip)]
    closed_set: HashSet<u64>,
}

impl AnswerLedger {
    /// Adds one line's usage to `total`; says whether the line begins an answer that had not been seen.
    pub(crate) fn add(&mut self, key: Option<u64>, usage: Usage, total: &mut Usage) -> bool {
        let Some(key) = key else {
            total.add(usage);
            return true;
        };
        if let Some((_, largest)) = self.open.iter_mut().rev().find(|(open, _)| *open == key) {
            if usage.total() > largest.total() {
                total.subtract(*largest);
                total.add(usage);
                *largest = usage;
            }
            return false;
        }
        if self.closed_set.len() != self.closed.len() {
            self.closed_set = self.closed.iter().copied().collect();
        }
        if self.closed_set.contains(&key) {
            return false;
        }
        total.add(usage);
        self.open.push_back((key, usage));
        if self.open.len() > OPEN_ANSWERS
            && let Some((key, _)) = self.open.pop_front()
        {
            self.close(key);
        }
        true
    }

    fn close(&mut self, key: u64) {
        self.closed.push_back(key);
        self.closed_set.insert(key);
        if self.closed.len() > KNOWN_ANSWERS
            && let Some(oldest) = self.closed.pop_front()
        {
            self.closed_set.remove(&oldest);
        }
    }
}

/// A key of an answer that is the same in every build, as it is written down: 64-bit FNV-1a.
pub(crate) fn answer_key(message_id: &str, request_id: &str) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let bytes = message_id.bytes().chain([0]).chain(request_id.bytes());
    bytes.fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(output: u64) -> Usage {
        Usage {
            input: 10,
            output,
            ..Usage::default()
        }
    }

    #[test]
    fn one_answer_counts_once_with_its_largest_usage() {
        let (mut ledger, mut total) = (AnswerLedger::default(), Usage::default());
        let key = Some(answer_key("msg_1", "req_1"));
        let begins: Vec<_> = [1, 500, 20]
            .map(|output| ledger.add(key, usage(output), &mut total))
            .into();
        assert_eq!((begins, total), (vec![true, false, false], usage(500)));
        ledger.add(Some(answer_key("msg_1", "req_2")), usage(1), &mut total);
        ledger.add(None, usage(1), &mut total);
        ledger.add(None, usage(1), &mut total);
        assert_eq!((total.input, total.output), (40, 503));
    }

    #[test]
    fn memory_is_bounded_and_survives_being_written_down() {
        let (mut ledger, mut total) = (AnswerLedger::default(), Usage::default());
        for key in 0..20_000 {
            ledger.add(Some(key), usage(1), &mut total);
        }
        assert_eq!((ledger.open.len(), ledger.closed.len()), (OPEN_ANSWERS, KNOWN_ANSWERS));
        let json = serde_json::to_string(&ledger).unwrap();
        let mut again: AnswerLedger = serde_json::from_str(&json).unwrap();
        let before = total;
        assert!(!again.add(Some(19_000), usage(9), &mut total));
        assert!(!again.add(Some(19_999), usage(1), &mut total));
        assert_eq!(total, before);
        assert!(again.add(Some(1), usage(1), &mut total), "forgotten by now");
    }

    #[test]
    fn keys_never_change() {
        assert_eq!(answer_key("msg_1", "req_1"), 0x6c4c_0546_93b8_c106);
    }
}
