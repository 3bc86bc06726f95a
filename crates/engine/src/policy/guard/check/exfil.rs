//! A secret on its way to the network.

use super::CheckContext;
use super::env_dump::dumps;
use super::secret_file::{shown, takes_folders};
use crate::policy::guard::command_view::{CommandView, read_by};
use crate::policy::guard::exec::behind;
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::secret::{folder_of_word, of_word};
use crate::policy::guard::zone::Zone;
use shell::{Stdin, Word};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !sends(seen) {
        return None;
    }
    let hit = |path: String| Hit {
        zone: Some(Zone::Secret),
        ..Hit::yes().about(path)
    };
    if let Some(path) = named(look) {
        return Some(hit(path));
    }
    let mut from = read_by(seen.intent, seen.index).to_vec();
    from.extend(seen.command.feeds.iter().flat_map(|feed| &feed.commands));
    for (index, command) in behind(seen, from, look.world) {
        let other = CommandView::new(seen.text, seen.intent, index, command);
        if !look.world.spend(8) {
            return None;
        }
        if let Some((_, path)) = shown(&other, look.world).into_iter().next() {
            return Some(hit(path).fed_by(command));
        }
        if dumps(&other) {
            return Some(hit("the environment".to_owned()).fed_by(command));
        }
    }
    None
}

/// Whether the command talks to the network.
fn sends(seen: &CommandView<'_>) -> bool {
    match seen.program {
        Some(
            "curl" | "wget" | "http" | "https" | "xh" | "curlie" | "scp" | "sftp" | "nc" | "ncat" | "netcat"
            | "socat" | "telnet" | "ftp" | "lftp" | "dig" | "nslookup" | "host" | "mail" | "mailx"
            | "sendmail" | "mutt" | "ssh" | "rclone" | "gsutil" | "s3cmd" | "azcopy" | "croc" | "wormhole"
            | "ping" | "tftp",
        ) => true,
        Some("rsync") => seen.literals().any(|text| text.contains(':')),
        Some("gh") => seen.sub(&["gist"]) || seen.sub(&["api"]) || seen.sub(&["release", "upload"]),
        Some("aws") => seen.sub(&["s3"]) || seen.sub(&["s3api", "put-object"]),
        Some("gcloud") => seen.sub(&["storage"]),
        Some("openssl") => seen.sub(&["s_client"]) || seen.literals().any(|text| text == "s_client"),
        Some(_) | None => false,
    }
}

/// A secret file that the command itself is told to send.
fn named(look: &CheckContext<'_>) -> Option<String> {
    let seen = look.seen;
    let secret = |word: &Word| of_word(word, seen, look.world).map(|(_, path)| path);
    if let Stdin::File(word) = &seen.command.stdin
        && let Some(path) = secret(word)
    {
        return Some(path);
    }
    let data = [
        "-d",
        "--data",
        "--data-binary",
        "--data-raw",
        "--data-ascii",
        "--data-urlencode",
        "-F",
        "--form",
        "-T",
        "--upload-file",
        "--post-file",
        "--body-file",
        "--json",
    ];
    for given in &seen.usage.options {
        let carries = data.iter().any(|name| given.is(name));
        if !carries && !given.written.contains('@') {
            continue;
        }
        let Some(word) = given.value.as_deref() else {
            continue;
        };
        if let Some(path) = secret(word) {
            return Some(path);
        }
        if let Some((_, path)) = word.literal().and_then(|text| text.split_once(['@', '<'])) {
            let path = path.split(';').next().unwrap_or(path);
            if let Some(path) = secret(&Word::new(path)) {
                return Some(path);
            }
        }
    }
    if seen.is(&["ssh", "dig", "nslookup", "host", "ping", "curl", "wget"]) {
        return None;
    }
    let takes_all = takes_folders(seen) || seen.is(&["aws", "gsutil", "gcloud", "rclone", "azcopy", "s3cmd"]);
    seen.operands().iter().find_map(|operand| {
        let folder = takes_all
            .then(|| folder_of_word(operand.word, seen, look.world))
            .flatten();
        let named = secret(operand.word).or_else(|| folder.map(|(_, path)| path));
        named.or_else(|| {
            let (_, path) = operand.word.literal()?.split_once('@')?;
            secret(&Word::new(path))
        })
    })
}
