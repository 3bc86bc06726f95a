//! Which files hold credentials, and which commands show what is in them.

use super::command_view::CommandView;
use super::glob::{StarReach, fits};
use super::path::{absolute, below, name};
use super::world::GuardWorld;
use shell::Word;

/// What kind of secret a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secret {
    /// Settings of the project with values nobody should see.
    EnvFile,
    /// A key within the project.
    KeyFile,
    /// Credentials of the person.
    Credentials,
}

/// No system takes a longer path.
const LONGEST_PATH: usize = 4096;
/// Credential stores below the home; two stars for any depth.
const STORES: [&str; 34] = [
    ".ssh/*",
    ".aws/credentials",
    ".aws/sso/cache/**",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".npmrc",
    ".pypirc",
    ".gem/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".docker/config.json",
    ".kube/config",
    ".config/gcloud/credentials.db",
    ".config/gcloud/access_tokens.db",
    ".config/gcloud/application_default_credentials.json",
    ".config/gcloud/legacy_credentials/**",
    ".azure/*token*",
    ".azure/msal*",
    ".azure/accessTokens.json",
    ".config/gh/hosts.yml",
    ".config/hub",
    ".gnupg/**",
    ".password-store/**",
    "Library/Keychains/**",
    ".local/share/keyrings/**",
    ".vault-token",
    ".pgpass",
    ".my.cnf",
    ".terraform.d/credentials.tfrc.json",
    ".config/rclone/rclone.conf",
    ".composer/auth.json",
    ".config/composer/auth.json",
];
/// Folders below the home that hold little but credentials.
const FOLDERS: [&str; 11] = [
    ".ssh",
    ".aws",
    ".aws/sso",
    ".gnupg",
    ".kube",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".password-store",
    ".local/share/keyrings",
    "Library/Keychains",
];
/// Credential stores of agents.
const AGENTS: [&str; 6] = [
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".config/github-copilot/**",
    ".local/share/opencode/auth.json",
];
/// Files of the machine.
const MACHINE: [&str; 6] = [
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/ssh/ssh_host_*_key",
    "/etc/kubernetes/admin.conf",
    "/run/secrets/**",
];
/// Names that end like this are never secret, whatever folder they are in.
const HARMLESS: [&str; 7] = [
    ".pub",
    ".example",
    ".sample",
    ".template",
    ".dist",
    ".tmpl",
    ".defaults",
];

fn is_harmless(path: &str) -> bool {
    let name = name(path);
    name.starts_with("known_hosts") || HARMLESS.iter().any(|end| name.ends_with(end))
}

/// Whether an absolute path is a credential store of the person, the machine or an agent.
pub fn is_outside_secret(path: &str, home: Option<&str>) -> bool {
    let homes: Option<&str> = home.and_then(|home| below(path, home)).or_else(|| {
        // Other people's homes hold the same things.
        let rest = path
            .strip_prefix("/home/")
            .or_else(|| path.strip_prefix("/Users/"))?;
        rest.split_once('/').map(|(_, inside)| inside)
    });
    let homes = homes.or_else(|| below(path, "/root"));
    // Nearly every path is told apart by how it begins.
    let in_home = homes.is_some_and(|inside| {
        inside.starts_with(['.', '_', 'L'])
            && STORES
                .iter()
                .chain(&AGENTS)
                .any(|pattern| fits(pattern, inside, StarReach::Name))
    });
    let on_machine = || {
        (path.starts_with("/etc/") || path.starts_with("/run/"))
            && MACHINE.iter().any(|pattern| fits(pattern, path, StarReach::Name))
    };
    (in_home || on_machine()) && !is_harmless(path) && !homes.is_some_and(is_plain_ssh)
}

/// Files of ssh that hold no key.
fn is_plain_ssh(inside: &str) -> bool {
    inside.strip_prefix(".ssh/").is_some_and(|name| {
        name.starts_with("config")
            || name.starts_with("authorized_keys")
            || matches!(
                name,
                "environment" | "rc" | "allowed_signers" | "agent" | "sockets"
            )
    })
}

/// Whether a word names a folder full of credentials, or the home they all lie in.
pub fn folder_of_word(
    word: &Word,
    seen: &CommandView<'_>,
    world: &GuardWorld<'_>,
) -> Option<(Secret, String)> {
    let home = world.facts.home.as_deref()?;
    let text = word.literal()?;
    let spelled = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        Some(_) | None => text.to_owned(),
    };
    let path = absolute(&spelled, seen.command.cwd.as_deref())?;
    let inside = below(&path, home)?;
    // Looking for something in the whole home is one thing, packing it up another.
    let takes_home = inside.is_empty() && seen.is(&["tar", "gtar", "bsdtar", "zip", "7z", "scp", "rsync"]);
    (takes_home || FOLDERS.contains(&inside)).then(|| (Secret::Credentials, text.to_owned()))
}

/// Whether a name is that of a file with values of an environment.
pub fn is_env_file(path: &str) -> bool {
    let name = name(path);
    (name == ".env" || name.starts_with(".env.") || name == ".envrc" || name == ".flaskenv")
        && !is_harmless(path)
        && !fits(".env.*example*", name, StarReach::Name)
        && !matches!(name, ".env.d.ts" | ".env.test" | ".env.ci")
}

/// Whether a name is one that keys have; only a look inside tells.
fn is_key_name(path: &str) -> bool {
    let name = name(path);
    [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore"]
        .iter()
        .any(|end| name.ends_with(end))
        || matches!(name, "id_rsa" | "id_ed25519" | "id_ecdsa" | "id_dsa")
}

/// What kind of secret is at an absolute path, if any.
pub fn at(path: &str, cwd: Option<&str>, world: &GuardWorld<'_>) -> Option<Secret> {
    let home = world.facts.home.as_deref();
    if is_outside_secret(path, home) {
        return Some(Secret::Credentials);
    }
    if is_env_file(path) {
        let root = world
            .repository(cwd)
            .map_or(cwd.unwrap_or("/"), |repository| repository.root.as_str());
        return Some(if below(path, root).is_some() {
            Secret::EnvFile
        } else {
            Secret::Credentials
        });
    }
    if is_key_name(path) && !is_harmless(path) {
        let is_key_itself = matches!(name(path), "id_rsa" | "id_ed25519" | "id_ecdsa" | "id_dsa")
            || [".p12", ".pfx"].iter().any(|end| path.ends_with(end));
        let holds_key = is_key_itself
            || match world.path(path) {
                Some(fact) => {
                    fact.private_key || (!fact.exists && fits("*.key", name(path), StarReach::Name))
                }
                None => true,
            };
        return holds_key.then_some(Secret::KeyFile);
    }
    None
}

/// What kind of secret a word of a command names, if any; a pattern counts by what it could fit.
pub fn of_word(word: &Word, seen: &CommandView<'_>, world: &GuardWorld<'_>) -> Option<(Secret, String)> {
    let one = |text: &str| {
        if text.len() > LONGEST_PATH {
            return None;
        }
        let text = match (text.strip_prefix("~/"), world.facts.home.as_deref()) {
            (Some(rest), Some(home)) => format!("{home}/{rest}"),
            (Some(_) | None, _) => text.to_owned(),
        };
        let path = absolute(&text, seen.command.cwd.as_deref()).or_else(|| {
            is_env_file(&text)
                .then(|| absolute(&text, Some("/unknown")))
                .flatten()
        })?;
        at(&path, seen.command.cwd.as_deref(), world).map(|secret| (secret, text.clone()))
    };
    match word {
        Word::Literal(text) => one(text),
        Word::OneOf(texts) => texts.iter().find_map(|text| one(text)),
        Word::Glob { pattern } => {
            let plain: Vec<String> = [".env", "id_rsa", "id_ed25519", "credentials", "server.key"]
                .iter()
                .filter(|name| {
                    let last = pattern.rsplit('/').next().unwrap_or(pattern);
                    let hidden = !name.starts_with('.') || last.starts_with('.');
                    // What fits almost every name says nothing of this one.
                    let tells =
                        last == ".*" || last.chars().filter(|letter| !"*?".contains(*letter)).count() > 2;
                    hidden
                        && (tells || pattern.contains(".ssh/") || pattern.contains(".aws/"))
                        && fits(last, name, StarReach::Name)
                })
                .map(|name| match pattern.rsplit_once('/') {
                    Some((folder, _)) => format!("{folder}/{name}"),
                    None => (*name).to_owned(),
                })
                .collect();
            plain.iter().find_map(|text| one(text))
        }
        Word::Unknown { prefix, suffix, .. } => {
            let guess = format!("{prefix}{suffix}");
            // `$DIR/.env` is one whatever the folder.
            (suffix.starts_with('/') && is_env_file(&guess))
                .then(|| (Secret::EnvFile, guess.clone()))
                .or_else(|| {
                    (prefix.contains(".ssh/id_") || prefix.ends_with(".ssh/"))
                        .then_some((Secret::Credentials, guess))
                })
        }
    }
}

/// Programs that print what is in their operands, or make a copy of it.
pub const SHOWING: [&str; 83] = [
    "cat",
    "tac",
    "less",
    "more",
    "most",
    "head",
    "tail",
    "bat",
    "batcat",
    "nl",
    "od",
    "xxd",
    "hexdump",
    "hd",
    "strings",
    "base64",
    "base32",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "sed",
    "gsed",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "cut",
    "sort",
    "uniq",
    "diff",
    "sdiff",
    "colordiff",
    "comm",
    "paste",
    "join",
    "fold",
    "fmt",
    "pr",
    "column",
    "rev",
    "cp",
    "gcp",
    "dd",
    "scp",
    "rsync",
    "tar",
    "gtar",
    "zip",
    "7z",
    "gzip",
    "bzip2",
    "xz",
    "zstd",
    "openssl",
    "gpg",
    "jq",
    "yq",
    "view",
    "vim",
    "vi",
    "nvim",
    "nano",
    "emacs",
    "ed",
    "pbcopy",
    "xclip",
    "xsel",
    "wl-copy",
    "code",
    "open",
    "xargs",
    "envsubst",
    "git",
    "perl",
    "ruby",
    "python",
    "python3",
    "install",
    "vimdiff",
];

/// Whether the command prints only names or numbers, or nothing: not the values in what it reads.
pub fn hides_values(seen: &CommandView<'_>) -> bool {
    match seen.program {
        Some("wc" | "md5sum" | "sha256sum" | "sha1sum" | "shasum" | "cksum" | "sum" | "stat" | "file" | "ls" | "test" | "[") => true,
        Some("cut") => {
            let is = |names: &[&str], wanted: &[&str]| {
                seen.value(names).and_then(Word::literal).is_some_and(|value| wanted.contains(&value))
            };
            is(&["-d", "--delimiter"], &["=", ""]) && is(&["-f", "--fields"], &["1", "-1"])
        }
        Some("grep" | "egrep" | "fgrep" | "rg" | "ag" | "zgrep") => {
            seen.has(&["-c", "--count", "-q", "--quiet", "--silent", "-l", "--files-with-matches", "-L"])
                || (seen.has(&["-o", "--only-matching"]) && pattern(seen).is_some_and(is_names_only))
        }
        Some("sed" | "gsed") => !seen.has(&["-i", "--in-place"]) && pattern(seen).is_some_and(|script| {
            matches!(script.split_once('=').map(|(_, rest)| rest), Some(rest) if rest.starts_with(".*/") || rest.starts_with(".*|") || rest.starts_with(".*#"))
                && script.trim_start_matches("-e").starts_with('s')
        }),
        Some("awk" | "gawk" | "mawk") => {
            let prints_first = pattern(seen).is_some_and(|script| {
                let plain: String = script.chars().filter(|letter| !letter.is_whitespace()).collect();
                plain.ends_with("{print$1}") || plain.contains("{print$1;")
            });
            let by_equals = seen.value(&["-F", "--field-separator"]).and_then(Word::literal) == Some("=");
            prints_first && by_equals
        }
        Some(_) | None => false,
    }
}

/// The pattern or script of a grep, sed or awk.
fn pattern<'a>(seen: &'a CommandView<'_>) -> Option<&'a str> {
    seen.value(&["-e", "--regexp", "--expression"])
        .and_then(Word::literal)
        .or_else(|| seen.operands().first().and_then(|operand| operand.word.literal()))
}

/// `^[A-Z_]*`, `^[^=]+`: what stands in front of the equals sign.
fn is_names_only(pattern: &str) -> bool {
    let plain = pattern.trim_start_matches('^').trim_end_matches('=');
    let plain = plain.trim_end_matches(['*', '+', '\\']);
    (plain.starts_with('[') && plain.ends_with(']') && !plain.contains('.')) || plain == "\\w"
}

/// Whether a value that looks like this pattern is one nobody should see.
pub fn is_telling_name(text: &str) -> bool {
    let upper = text.to_uppercase();
    ["TOKEN", "KEY", "SECRET", "PASS", "PWD=", "CRED", "AUTH"]
        .iter()
        .any(|word| upper.contains(word))
}
