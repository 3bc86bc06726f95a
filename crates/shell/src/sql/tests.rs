//! Which statements destroy, and which only look like it.

use super::{Dialect, statements};
use proptest::prelude::*;

fn told(dialect: Dialect, text: &str) -> String {
    let found = statements(dialect, text);
    let one = |statement: &crate::intent::Statement| {
        format!(
            "{}{}",
            statement.verb,
            if statement.has_where { " where" } else { "" }
        )
    };
    found.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[test]
fn destructive_statements_are_named() {
    let cases = [
        ("DROP TABLE users", "drop"),
        ("drop database x; truncate y", "drop; truncate"),
        ("TRUNCATE TABLE a, b", "truncate"),
        ("DELETE FROM users", "delete"),
        ("delete from users where id = 1", "delete where"),
        ("UPDATE users SET a = 1", "update"),
        ("UPDATE users SET a = 1 WHERE b", "update where"),
        ("UPDATE u SET a = (SELECT x FROM y WHERE z)", "update"),
        ("ALTER TABLE a DROP COLUMN b", "drop"),
        ("-- why\nDROP TABLE x", "drop"),
        ("/* a */ delete from x", "delete"),
        (
            "WITH gone AS (DELETE FROM a RETURNING *) SELECT * FROM gone",
            "delete",
        ),
        (
            "WITH old AS (SELECT 1) DELETE FROM a WHERE id IN (SELECT * FROM old)",
            "delete where",
        ),
        ("BEGIN; DELETE FROM a; COMMIT;", "delete"),
        ("EXPLAIN ANALYZE DELETE FROM a", "delete"),
        ("DELETE FROM `where`", "delete"),
    ];
    for (text, expected) in cases {
        assert_eq!(told(Dialect::Sql, text), expected, "{text}");
    }
}

#[test]
fn what_reads_or_mentions_is_not_named() {
    let cases = [
        "SELECT * FROM users",
        "SELECT 'drop table x'",
        "INSERT INTO log VALUES ('DELETE FROM users')",
        "-- drop table x",
        "/* truncate y */ select 1",
        "CREATE TABLE a (b int REFERENCES c ON DELETE CASCADE)",
        "SELECT * FROM a FOR UPDATE",
        "INSERT INTO a VALUES (1) ON CONFLICT DO UPDATE SET b = 1",
        "ALTER TABLE a ALTER COLUMN b DROP DEFAULT",
        "ALTER TABLE a ADD COLUMN b int",
        "EXPLAIN DELETE FROM a",
        "DO $$ BEGIN RAISE NOTICE 'x'; END $$",
        "\\d users",
        ".tables",
        "select \"drop\" from t",
    ];
    for text in cases {
        assert_eq!(told(Dialect::Sql, text), "", "{text}");
    }
}

#[test]
fn redis_and_mongo_have_their_own_words() {
    assert_eq!(told(Dialect::Sql, "delete from t where 1 = 1"), "delete");
    assert_eq!(told(Dialect::Sql, "update t set a = 1 where true"), "update");
    assert_eq!(
        told(Dialect::Sql, "delete from t where true returning id"),
        "delete"
    );
    assert_eq!(
        told(Dialect::Sql, "delete from t where 1 = 1 and id = 3"),
        "delete where"
    );
    assert_eq!(told(Dialect::Redis, "FLUSHALL"), "flushall");
    assert_eq!(told(Dialect::Redis, "flushdb async"), "flushdb");
    assert_eq!(told(Dialect::Redis, "del key"), "del where");
    assert_eq!(told(Dialect::Redis, "del *"), "del");
    assert_eq!(told(Dialect::Redis, "get flushall\nset a flushall"), "");
    assert_eq!(told(Dialect::Mongo, "db.dropDatabase()"), "dropDatabase");
    assert_eq!(told(Dialect::Mongo, "db.users.drop()"), "drop");
    assert_eq!(
        told(Dialect::Mongo, "db.getCollection('a').deleteMany({})"),
        "delete"
    );
    assert_eq!(
        told(Dialect::Mongo, "db.users.deleteMany({a: 1})"),
        "delete where"
    );
    assert_eq!(
        told(Dialect::Mongo, "print('db.users.drop()') // db.dropDatabase()"),
        ""
    );
    assert_eq!(told(Dialect::Mongo, "db.users.find({})"), "");
}

proptest! {
    #[test]
    fn no_text_breaks_the_reading(text in "[ -~\n'\"`$;()é-]{0,200}") {
        for dialect in [Dialect::Sql, Dialect::Redis, Dialect::Mongo] {
            prop_assert!(statements(dialect, &text).len() <= 256);
        }
    }
}
