use super::*;

#[test]
fn what_looks_like_a_secret_is_gone() {
    for (written, shown) in [
        ("export TOKEN=abcdef123", "export TOKEN=[redacted]"),
        (
            "curl -H 'Authorization: Bearer abc.def-123'",
            "curl -H 'Authorization: Bearer [redacted]'",
        ),
        (
            "git clone https://me:hunter22@example.org/x",
            "git clone https://me:[redacted]@example.org/x",
        ),
        ("mysql --password hunter22 db", "mysql --password [redacted] db"),
        ("echo ghp_abcdefghijklmnopqrstuvwxyz0123456789", "echo [redacted]"),
        ("DB_PASSWORD=\"p4ss\" make", "DB_PASSWORD=\"[redacted]\" make"),
        (
            "a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b",
            "a [redacted] b",
        ),
    ] {
        assert_eq!(text(written), shown);
    }
}

#[test]
fn what_the_hook_added_to_a_command_is_left_out() {
    let token = "0123456789abcdef0123456789abcdef";
    for (written, shown) in [
        (
            format!("toprope lease wait --as {token} a; ls"),
            "toprope lease wait a; ls",
        ),
        (format!("toprope lease list --as {token}"), "toprope lease list"),
        (format!("x\n--as {token} y"), "x\n y"),
        ("toprope lease wait --as 01234…".to_owned(), "toprope lease wait…"),
        (
            "toprope lease wait --as 01 … a".to_owned(),
            "toprope lease wait … a",
        ),
    ] {
        assert_eq!(text(&written), shown);
    }
}

#[test]
fn everyday_text_stays_as_it_is() {
    for plain in [
        "git push --force origin feature-x",
        "rm -rf node_modules && npm ci",
        "cat src/token.rs",
        "ssh user@host ls",
        "sk-learn",
        "cargo test -p auth",
        "git log --as 0123 --as-is",
        "run --as 0123456789abcdef0123456789abcdefg",
        "run --as",
        "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
    ] {
        assert_eq!(text(plain), plain);
    }
}

/// A form that hides a secret, what is shown of it, and a neighbour that has none.
const FORMS: &[(&str, &str, &str)] = &[
    (
        "curl -u me:hunter2 http://x",
        "curl -u me:[redacted] http://x",
        "curl -u me http://x",
    ),
    (
        "curl -sSu me:hu!nter2 x",
        "curl -sSu me:[redacted] x",
        "curl -sSL x:y",
    ),
    ("curl -ume:hunter2 x", "curl -ume:[redacted] x", "curl -o u:v x"),
    (
        "curl -u 'me:two words' x",
        "curl -u 'me:[redacted]' x",
        "curl -u \"$ME:$PASS\" x",
    ),
    (
        "curl --user me:h2 x",
        "curl --user me:[redacted] x",
        "curl --user-agent a:b x",
    ),
    (
        "curl --user=me:h2 x",
        "curl --user=me:[redacted] x",
        "curl -u me: x",
    ),
    (
        "/usr/bin/curl --proxy-user me:h2 x",
        "/usr/bin/curl --proxy-user me:[redacted] x",
        "docker run -u 1000:1000 image",
    ),
    (
        "curl -H 'a; b' -u me:h2 x",
        "curl -H 'a; b' -u me:[redacted] x",
        "curl x; id -u a:b",
    ),
    (
        "mysql -u root -phunter2 db",
        "mysql -u root -p[redacted] db",
        "mysql -u root -p db",
    ),
    (
        "mysqldump -p'hun ter' db",
        "mysqldump -p'[redacted]' db",
        "mysql -P3306 -p$PASS db",
    ),
    (
        "mariadb -ph2; ls",
        "mariadb -p[redacted]; ls",
        "mysql db; cp -pr a b",
    ),
    (
        "mysql --password=h!unter2 db",
        "mysql --password=[redacted] db",
        "mysql --password -h host",
    ),
    (
        "sshpass -p hunter2 ssh -p 2222 me@host",
        "sshpass -p [redacted] ssh -p 2222 me@host",
        "sshpass -e ssh -p 2222 me@host",
    ),
    (
        "sshpass -phunter2 ssh h",
        "sshpass -p[redacted] ssh h",
        "sshpass -f file ssh h",
    ),
    (
        "sshpass -p 'a b' ssh h",
        "sshpass -p '[redacted]' ssh h",
        "sshpass -p $SSHPASS ssh h",
    ),
    (
        "SSHPASS=hunter2 sshpass -e ssh h",
        "SSHPASS=[redacted] sshpass -e ssh h",
        "cp -p file1 file2",
    ),
    (
        "redis-cli -a hunter2 ping",
        "redis-cli -a [redacted] ping",
        "redis-cli -h host ping",
    ),
    (
        "docker login -u me -p hunter2 r",
        "docker login -u me -p [redacted] r",
        "docker run -p 80:80 image",
    ),
    (
        "PGPASSWORD=hunter2 psql",
        "PGPASSWORD=[redacted] psql",
        "PGPASSWORD=$SECRET psql",
    ),
    (
        "export PGPASSWORD='p@ss w0rd!'",
        "export PGPASSWORD='[redacted]'",
        "unset PGPASSWORD",
    ),
    (
        "DB_PASS=p@ss!word make",
        "DB_PASS=[redacted] make",
        "bypass=true make",
    ),
    (
        "{\"accessToken\": \"a,b c\"}",
        "{\"accessToken\": \"[redacted]\"}",
        "{\"tokens\": 1024}",
    ),
    (
        "{\\\"password\\\": \\\"hunter2\\\"}",
        "{\\\"password\\\": \\\"[redacted]\\\"}",
        "password: $DB",
    ),
    (
        "the password is hunter2, use it",
        "the password is [redacted], use it",
        "the password is wrong, mend it",
    ),
    (
        "The password is: Tr0ub4dor&3",
        "The password is: [redacted]",
        "the token is expired",
    ),
    (
        "das Passwort ist geheim99",
        "das Passwort ist [redacted]",
        "das Passwort ist in der Datei",
    ),
    (
        "my password is swordfish",
        "my password is [redacted]",
        "the secret is stored in a vault",
    ),
    (
        "log in as bob with password hunter2",
        "log in as bob with password [redacted]",
        "write the password reset page",
    ),
    (
        "password: hunter2",
        "password: [redacted]",
        "grep password src/login2.rs",
    ),
    (
        "the token is 'ab cd'",
        "the token is '[redacted]'",
        "the token is not checked",
    ),
];

#[test]
fn secrets_of_options_and_sentences_are_gone_and_their_neighbours_stay() {
    for (written, shown, neighbour) in FORMS {
        assert_eq!(text(written), *shown);
        assert_eq!(text(neighbour), *neighbour);
    }
}
