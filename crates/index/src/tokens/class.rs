//! What each character is to the tokenizer, and how it is folded.

/// A character's part in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Letters, digits and the marks that belong to them.
    Word,
    /// Scripts written without blanks between words: found by pairs of neighbours.
    Ideograph,
    /// Punctuation that holds an identifier, path or address together.
    Joiner,
    /// Everything else.
    Break,
}

/// The ASCII characters of [`Class::Joiner`].
const JOINERS: &str = "_-./\\:@#~+&=$%'";

const ASCII: [Class; 128] = {
    let mut classes = [Class::Break; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            classes[byte as usize] = Class::Word;
        }
        byte += 1;
    }
    let mut index = 0;
    while index < JOINERS.len() {
        classes[JOINERS.as_bytes()[index] as usize] = Class::Joiner;
        index += 1;
    }
    classes
};

/// The class of one byte of ASCII; `None` for a byte of a longer character.
pub(crate) fn of_ascii(byte: u8) -> Option<Class> {
    ASCII.get(usize::from(byte)).copied()
}

/// What one byte may be, as flags, so that those of a word can be put together.
pub(super) mod byte {
    use super::{ASCII, Class};

    /// A lower-case letter or a digit.
    pub(crate) const PLAIN: u8 = 1;
    /// An upper-case letter.
    pub(crate) const UPPER: u8 = 2;
    /// A joiner.
    pub(crate) const JOINER: u8 = 4;
    /// Part of a longer character.
    pub(crate) const LONGER: u8 = 8;
    /// Anything else.
    pub(crate) const BREAK: u8 = 16;
    /// A lower-case letter, beside [`PLAIN`].
    pub(crate) const LOWER: u8 = 32;

    /// The flags of each byte.
    pub(crate) const FLAGS: [u8; 256] = {
        let mut flags = [LONGER; 256];
        let mut byte = 0_u8;
        while byte < 128 {
            flags[byte as usize] = match ASCII[byte as usize] {
                Class::Word if byte.is_ascii_uppercase() => UPPER,
                Class::Word if byte.is_ascii_lowercase() => PLAIN | LOWER,
                Class::Word => PLAIN,
                Class::Joiner => JOINER,
                Class::Ideograph | Class::Break => BREAK,
            };
            byte += 1;
        }
        flags
    };
}

/// The class of any character.
pub(crate) fn of(character: char) -> Class {
    if let Some(class) = ASCII.get(character as usize) {
        return *class;
    }
    if is_ideograph(character) {
        Class::Ideograph
    } else if character.is_alphanumeric() || is_mark(character) {
        Class::Word
    } else {
        Class::Break
    }
}

/// Whether the script is written without blanks, so that words can't be told apart without a dictionary.
fn is_ideograph(character: char) -> bool {
    matches!(character as u32,
        0x0E00..=0x0EFF // Thai, Lao
        | 0x1000..=0x109F // Myanmar
        | 0x1100..=0x11FF // Hangul jamo
        | 0x1780..=0x17FF // Khmer
        | 0x3005..=0x3007
        | 0x3041..=0x309F // Hiragana
        | 0x30A1..=0x30FA | 0x30FC..=0x30FF // Katakana, without the middle dot
        | 0x3105..=0x318E // Bopomofo, Hangul compatibility jamo
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF // Han
        | 0xAC00..=0xD7A3 // Hangul
        | 0xFF66..=0xFF9F // halfwidth Katakana
        | 0x20000..=0x3FFFF)
}

/// Marks that don't count as alphabetic but stand inside words: combining accents, viramas, joiners.
fn is_mark(character: char) -> bool {
    matches!(character as u32,
        0x0300..=0x036F | 0x0591..=0x05C7 | 0x064B..=0x065F | 0x0900..=0x0963 | 0x0970..=0x0DFF | 0x200C | 0x200D)
}

/// Appends `character` as it is compared: in lower case, and without its width.
pub(crate) fn fold(character: char, into: &mut String) {
    if character.is_ascii() {
        into.push(character.to_ascii_lowercase());
        return;
    }
    let code = character as u32;
    // The fullwidth forms of ASCII stand in the same order, 0xFEE0 further on.
    if (0xFF01..=0xFF5E).contains(&code)
        && let Some(narrow) = char::from_u32(code - 0xFEE0)
    {
        into.push(narrow.to_ascii_lowercase());
        return;
    }
    into.extend(character.to_lowercase());
}
