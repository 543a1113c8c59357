//! A transcript record as it stands in its line: borrowed, and unparsed below the first level.
//!
//! Every field is an optional raw value, so that a field of an unexpected type spoils nothing but itself. Objects that every message has
//! are entered in the same pass: each level that is parsed on its own scans the text below it once more.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::json;

/// One JSON value that was skipped over, or nothing.
pub(crate) type Raw<'a> = Option<&'a RawValue>;

/// The fields of any record that sexton uses.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawRecord<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) record_type: Raw<'a>,
    #[serde(borrow)]
    pub(crate) subtype: Raw<'a>,
    #[serde(borrow)]
    pub(crate) uuid: Raw<'a>,
    #[serde(borrow)]
    pub(crate) timestamp: Raw<'a>,
    #[serde(borrow)]
    pub(crate) cwd: Raw<'a>,
    #[serde(borrow)]
    pub(crate) git_branch: Raw<'a>,
    #[serde(borrow)]
    pub(crate) version: Raw<'a>,
    #[serde(borrow)]
    pub(crate) slug: Raw<'a>,
    #[serde(borrow)]
    pub(crate) is_sidechain: Raw<'a>,
    #[serde(borrow)]
    pub(crate) is_meta: Raw<'a>,
    #[serde(borrow)]
    pub(crate) is_compact_summary: Raw<'a>,
    #[serde(borrow)]
    pub(crate) origin: Raw<'a>,
    #[serde(borrow)]
    pub(crate) request_id: Raw<'a>,
    #[serde(borrow)]
    pub(crate) message: Nested<RawMessage<'a>>,
    #[serde(borrow)]
    pub(crate) content: Raw<'a>,
    #[serde(borrow)]
    pub(crate) attachment: Raw<'a>,
    #[serde(borrow)]
    pub(crate) custom_title: Raw<'a>,
    #[serde(borrow)]
    pub(crate) ai_title: Raw<'a>,
    #[serde(borrow)]
    pub(crate) agent_name: Raw<'a>,
    #[serde(borrow)]
    pub(crate) summary: Raw<'a>,
    #[serde(borrow)]
    pub(crate) last_prompt: Raw<'a>,
    #[serde(borrow)]
    pub(crate) tag: Raw<'a>,
    #[serde(borrow)]
    pub(crate) relocated_cwd: Raw<'a>,
    #[serde(borrow)]
    pub(crate) worktree_session: Raw<'a>,
    #[serde(borrow)]
    pub(crate) forked_from: Raw<'a>,
    #[serde(borrow)]
    pub(crate) continued_in_session_id: Raw<'a>,
}

/// `message` of a user or assistant record.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct RawMessage<'a> {
    #[serde(borrow)]
    pub(crate) role: Raw<'a>,
    #[serde(borrow)]
    pub(crate) id: Raw<'a>,
    #[serde(borrow)]
    pub(crate) model: Raw<'a>,
    #[serde(borrow)]
    pub(crate) content: Raw<'a>,
    #[serde(borrow)]
    pub(crate) usage: Raw<'a>,
}

/// One block of a message's content, or of a tool result's.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct RawBlock<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) block_type: Raw<'a>,
    #[serde(borrow)]
    pub(crate) text: Raw<'a>,
    #[serde(borrow)]
    pub(crate) thinking: Raw<'a>,
    #[serde(borrow)]
    pub(crate) name: Raw<'a>,
    #[serde(borrow)]
    pub(crate) id: Raw<'a>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Raw<'a>,
    #[serde(borrow)]
    pub(crate) input: Raw<'a>,
    #[serde(borrow)]
    pub(crate) content: Raw<'a>,
}

/// `attachment` of an attachment record.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawAttachment<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) attachment_type: Raw<'a>,
    #[serde(borrow)]
    pub(crate) command_mode: Raw<'a>,
    #[serde(borrow)]
    pub(crate) prompt: Raw<'a>,
    #[serde(borrow)]
    pub(crate) is_meta: Raw<'a>,
    #[serde(borrow)]
    pub(crate) origin: Raw<'a>,
}

/// An object that is entered at once, or an empty one in place of anything else.
#[derive(Debug, Default)]
pub(crate) struct Nested<T>(pub(crate) T);

impl<'a, T: Deserialize<'a> + Default> Deserialize<'a> for Nested<T> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyValue<T>(PhantomData<T>);

        /// A visit of something that is no object.
        macro_rules! anything_else {
            ($($visit:ident: $type:ty),+) => {
                $(fn $visit<E>(self, _: $type) -> Result<Self::Value, E> {
                    Ok(T::default())
                })+
            };
        }

        impl<'a, T: Deserialize<'a> + Default> Visitor<'a> for AnyValue<T> {
            type Value = T;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("any value")
            }

            fn visit_map<A: MapAccess<'a>>(self, entries: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(entries))
            }

            fn visit_seq<A: SeqAccess<'a>>(self, mut elements: A) -> Result<T, A::Error> {
                while elements.next_element::<IgnoredAny>()?.is_some() {}
                Ok(T::default())
            }

            fn visit_unit<E>(self) -> Result<T, E> {
                Ok(T::default())
            }

            anything_else!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
        }

        deserializer.deserialize_any(AnyValue(PhantomData)).map(Self)
    }
}

/// The object in `raw`, or an empty one if it is something else.
pub(crate) fn object<'a, T: Deserialize<'a> + Default>(raw: Raw<'a>) -> T {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// The field `key` of the object in `raw`.
pub(crate) fn field<'a>(raw: Raw<'a>, key: &str) -> Raw<'a> {
    let mut found = None;
    each_entry(raw?, &mut |name, value| {
        if name == key {
            found = Some(value);
        }
    });
    found
}

/// The inside of the string in `raw`, escapes and all.
pub(crate) fn quoted(raw: &RawValue) -> Option<&str> {
    raw.get().strip_prefix('"')?.strip_suffix('"')
}

/// The string in `raw`.
pub(crate) fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let quoted = quoted(raw?)?;
    if memchr::memchr(b'\\', quoted.as_bytes()).is_none() {
        return Some(Cow::Borrowed(quoted));
    }
    let mut text = String::with_capacity(quoted.len());
    json::unescape_into(quoted, &mut text);
    Some(Cow::Owned(text))
}

/// The string in `raw`, unless it is empty.
pub(crate) fn non_empty(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    text(raw).filter(|text| !text.is_empty())
}

/// Whether `raw` is `true`.
pub(crate) fn is_true(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// The number in `raw`, if it is a whole one that isn't negative.
pub(crate) fn count(raw: Raw<'_>) -> Option<u64> {
    raw?.get().parse().ok()
}

/// Calls `act` with each element of the array in `raw`; anything else has none.
pub(crate) fn each_element<'a>(raw: &'a RawValue, act: &mut dyn FnMut(&'a RawValue)) {
    struct Elements<'f, 'a>(&'f mut dyn FnMut(&'a RawValue));

    impl<'a> Visitor<'a> for Elements<'_, 'a> {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'a>>(self, mut elements: A) -> Result<(), A::Error> {
            while let Some(element) = elements.next_element()? {
                (self.0)(element);
            }
            Ok(())
        }
    }

    impl<'a> DeserializeSeed<'a> for Elements<'_, 'a> {
        type Value = ();

        fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_seq(self)
        }
    }

    // What `raw` holds has been parsed once, so the only error is that it is no array.
    let _ = Elements(act).deserialize(&mut serde_json::Deserializer::from_str(raw.get()));
}

/// Calls `act` with each block of the array in `raw`; a block that is no object is an empty one.
pub(crate) fn each_block<'a>(raw: &'a RawValue, act: &mut dyn FnMut(RawBlock<'a>)) {
    struct Blocks<'f, 'a>(&'f mut dyn FnMut(RawBlock<'a>));

    impl<'a> Visitor<'a> for Blocks<'_, 'a> {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an array of blocks")
        }

        fn visit_seq<A: SeqAccess<'a>>(self, mut blocks: A) -> Result<(), A::Error> {
            while let Some(Nested(block)) = blocks.next_element()? {
                (self.0)(block);
            }
            Ok(())
        }
    }

    impl<'a> DeserializeSeed<'a> for Blocks<'_, 'a> {
        type Value = ();

        fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_seq(self)
        }
    }

    let mut done = 0;
    let mut count = |block| {
        done += 1;
        act(block);
    };
    let walk = Blocks(&mut count).deserialize(&mut serde_json::Deserializer::from_str(raw.get()));
    if walk.is_err() && raw.get().starts_with('[') {
        // A bare string with half a surrogate pair, or a repeated key, ends the walk; one block at a time there is none to spoil.
        let mut index = 0;
        each_element(raw, &mut |element| {
            if index >= done {
                act(object(Some(element)));
            }
            index += 1;
        });
    }
}

/// Calls `act` with each key and value of the object in `raw`; anything else has none.
pub(crate) fn each_entry<'a>(raw: &'a RawValue, act: &mut dyn FnMut(&str, &'a RawValue)) {
    struct Entries<'f, 'a>(&'f mut dyn FnMut(&str, &'a RawValue));

    impl<'a> Visitor<'a> for Entries<'_, 'a> {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'a>>(self, mut entries: A) -> Result<(), A::Error> {
            // Keys are raw as well: half a surrogate pair in one would otherwise end the walk.
            while let Some((key, value)) = entries.next_entry::<&RawValue, &RawValue>()? {
                if let Some(key) = text(Some(key)) {
                    (self.0)(&key, value);
                }
            }
            Ok(())
        }
    }

    impl<'a> DeserializeSeed<'a> for Entries<'_, 'a> {
        type Value = ();

        fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_map(self)
        }
    }

    let _ = Entries(act).deserialize(&mut serde_json::Deserializer::from_str(raw.get()));
}
