//! The engine on SQLite's FTS5: in the catalogue's own file, so that one transaction covers both.
//!
//! Contentless, and `detail=none`: a posting is a message number and nothing more. Phrases are verified in the text, and ranks are the
//! catalogue's, so positions would cost time and space for nothing. The `ascii` tokenizer splits our text at blanks only, since all
//! joiners are declared as parts of tokens; a test holds it to that.

use rusqlite::{Connection, params};

use super::expression::expression;
use super::{Engine, MessageNumber, Question};
use crate::tokens::JOINERS;

/// FTS5 over an open connection.
#[derive(Debug)]
pub struct Fts5<'c> {
    connection: &'c Connection,
}

/// The statement that makes the table; part of the catalogue's schema.
pub(crate) fn schema() -> String {
    // Doubled once for the tokenizer's argument and once for the SQL literal around it.
    let joiners = JOINERS.replace('\'', "''''");
    format!(
        "CREATE VIRTUAL TABLE words USING fts5(
            tokens, content='', contentless_delete=1, detail=none, tokenize='ascii tokenchars ''{joiners}''');"
    )
}

impl<'c> Fts5<'c> {
    /// The engine in the catalogue that `connection` has open.
    #[must_use]
    pub fn new(connection: &'c Connection) -> Self {
        Self { connection }
    }

    /// Prepares for adding much at once: `bytes` of postings are gathered in memory before they are written.
    pub(crate) fn set_memory(&self, bytes: u32) -> rusqlite::Result<()> {
        self.connection
            .execute("INSERT INTO words(words, rank) VALUES ('hashsize', ?1)", [bytes])
            .map(|_| ())
    }
}

impl Engine for Fts5<'_> {
    fn add(&mut self, number: MessageNumber, tokens: &str) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("INSERT INTO words(rowid, tokens) VALUES (?1, ?2)")?
            .execute(params![number, tokens])
            .map(|_| ())
    }

    fn remove(&mut self, number: MessageNumber) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("DELETE FROM words WHERE rowid = ?1")?
            .execute([number])
            .map(|_| ())
    }

    fn find(&self, question: Question<'_>, most: usize) -> rusqlite::Result<Vec<MessageNumber>> {
        let Some(expression) = expression(question) else {
            return Ok(Vec::new());
        };
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.connection
            .prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT ?2")?
            .query_map(params![expression, most], |row| row.get(0))?
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Mark;
    use super::*;
    use crate::message::Kind;
    use crate::query::Query;
    use crate::tokens::TokenSet;

    fn table() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&schema()).unwrap();
        connection
    }

    fn add(connection: &Connection, texts: &[&str]) {
        let mut engine = Fts5::new(connection);
        let mut set = TokenSet::new();
        for (index, text) in texts.iter().enumerate() {
            set.clear();
            set.add_text(text);
            set.add(&Mark::Session(i64::try_from(index % 2).unwrap()).token());
            set.add(&Mark::Kind(Kind::Prompt).token());
            set.add(&Mark::Tool("Bash".to_owned()).token());
            engine.add(i64::try_from(index).unwrap(), set.as_text()).unwrap();
        }
    }

    fn find(connection: &Connection, query: &str, marks: &[Vec<Mark>]) -> Vec<i64> {
        let plan = Query::parse(query).plan().unwrap();
        let question = Question {
            plan: Some(&plan),
            marks,
        };
        Fts5::new(connection).find(question, 100).unwrap()
    }

    #[test]
    fn the_language_finds_what_it_says() {
        let connection = table();
        let texts = [
            "how does load_all work in src/main.rs",
            "getUserById fails with error[E0308]",
            "検索結果を表示する",
            "deadlock in sqlite",
            "5e6f3c1a-0000-4000-8000-0123456789ab was deleted, don't panic",
        ];
        add(&connection, &texts);
        for (query, expected) in [
            ("load_all", vec![0]),
            ("load", vec![0]),
            ("main.rs", vec![0]),
            ("src/main.rs", vec![0]),
            ("src/*", vec![0]),
            ("getuserbyid", vec![1]),
            ("UserById", vec![1]),
            ("userby", vec![1]),
            ("E0308", vec![1]),
            ("検索", vec![2]),
            ("示", vec![2]),
            ("る", vec![2]),
            ("dead*", vec![3]),
            ("deadlock OR getUserById", vec![3, 1]),
            ("in -sqlite", vec![0]),
            ("5e6f3c1a", vec![4]),
            ("5e6f3c1a-0000-4000-8000-0123456789ab", vec![4]),
            ("DON'T", vec![4]),
            ("deadlock getUserById", vec![]),
        ] {
            assert_eq!(find(&connection, query, &[]), expected, "{query}");
        }
    }

    #[test]
    fn marks_narrow_and_no_text_reaches_them() {
        let connection = table();
        add(&connection, &["same word", "same word", "same =s1 word"]);
        assert_eq!(find(&connection, "same", &[vec![Mark::Session(1)]]), [1]);
        let tools = [vec![Mark::Tool("bash".to_owned())], vec![Mark::Kind(Kind::Prompt)]];
        assert_eq!(find(&connection, "same", &tools), [2, 1, 0]);
        assert_eq!(find(&connection, "s1", &[]), [2]);
    }

    #[test]
    fn a_removed_message_is_gone() {
        let connection = table();
        add(&connection, &["one", "one two"]);
        Fts5::new(&connection).remove(1).unwrap();
        assert_eq!(find(&connection, "one", &[]), [0]);
    }

    #[test]
    fn long_queries_are_no_error() {
        let connection = table();
        add(&connection, &["one"]);
        let many: Vec<String> = (0..5000).map(|number| format!("w{number}")).collect();
        assert!(find(&connection, &many.join(" "), &[]).is_empty());
        assert!(find(&connection, &many.join(" OR "), &[]).is_empty());
        assert!(find(&connection, &format!("one -{}", many.join(" -")), &[]).len() == 1);
    }

    proptest! {
        /// Each token comes out of FTS5's tokenizer as it went in.
        #[test]
        fn tokens_pass_unharmed(text in "(?s).{0,60}|[a-zA-Z0-9_./:@\\\\'#~+&=$% -]{0,80}") {
            let mut set = TokenSet::new();
            set.add_text(&text);
            let connection = table();
            Fts5::new(&connection).add(1, set.as_text()).unwrap();
            connection.execute_batch("CREATE VIRTUAL TABLE terms USING fts5vocab(words, row)").unwrap();
            let mut statement = connection.prepare("SELECT term FROM terms ORDER BY term").unwrap();
            let stored: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
            let mut given: Vec<&str> = set.as_text().split(' ').filter(|token| !token.is_empty()).collect();
            given.sort_unstable();
            prop_assert_eq!(stored, given);
        }

        /// No text is an error, and a query made of a message's own text finds it, by tokens and by verification.
        #[test]
        fn any_text_is_a_query_and_finds_itself(text in "(?s)[^-\"*O]{0,60}|[a-zA-NP-Z_./:'検索 ]{0,40}", junk in "(?s).{0,40}") {
            let connection = table();
            add(&connection, &[&text]);
            if let Ok(plan) = Query::parse(&text).plan() {
                let question = Question { plan: Some(&plan), marks: &[] };
                prop_assert_eq!(Fts5::new(&connection).find(question, 9).unwrap(), vec![0]);
                prop_assert!(plan.verification.holds(&text));
            }
            if let Ok(plan) = Query::parse(&junk).plan() {
                let question = Question { plan: Some(&plan), marks: &[] };
                Fts5::new(&connection).find(question, 9).unwrap();
            }
        }

        /// The matcher sees every word that the tokens promise: marks in snippets never miss.
        #[test]
        fn what_the_tokens_have_the_matcher_finds(text in "[a-zA-Z0-9_./' 検索結]{1,40}") {
            let mut set = TokenSet::new();
            set.add_text(&text);
            for token in set.as_text().split(' ').filter(|token| !token.is_empty()) {
                let open_end = token.chars().count() == 1;
                prop_assert!(crate::matching::Needle::new(token, open_end).is_in(&text), "{} in {}", token, text);
            }
        }
    }
}
