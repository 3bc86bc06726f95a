//! What commands look like through the tables: subcommands, options by every spelling, values, operands.

use super::{built_in, program, usage};

/// What the build does with tables, so that what it refuses can be tested.
#[path = "../../build/notation.rs"]
#[expect(dead_code, reason = "tests only add tables; the build writes them")]
mod notation;

use crate::Word;
use notation::{GrammarError, Tables};
use proptest::prelude::*;

fn words(text: &str) -> Vec<Word> {
    text.split(' ').map(word).collect()
}

/// `$X` is unknown, `"$X"` unknown and quoted, `{a,b}` one of two, `*` a glob.
fn word(text: &str) -> Word {
    let unknown = |text: &str, quoted| {
        let (prefix, suffix) = text.split_once("$X").unwrap_or((text, ""));
        Word::Unknown {
            prefix: prefix.to_owned(),
            suffix: suffix.to_owned(),
            quoted,
            name: Some("X".to_owned()),
        }
    };
    match text {
        text if text.contains("$X") && text.contains('"') => unknown(&text.replace('"', ""), true),
        text if text.contains("$X") => unknown(text, false),
        text if text.starts_with('{') && text.contains(',') => Word::OneOf(
            text.trim_matches(['{', '}'])
                .split(',')
                .map(str::to_owned)
                .collect(),
        ),
        text if text.contains('*') => Word::Glob {
            pattern: text.to_owned(),
        },
        text => Word::Literal(text.to_owned()),
    }
}

fn shown(word: &Word) -> String {
    match word {
        Word::Literal(text) => text.clone(),
        Word::OneOf(texts) => texts.join("|"),
        Word::Glob { pattern } => format!("glob {pattern}"),
        Word::Unknown { prefix, suffix, .. } => format!("{prefix}?{suffix}"),
    }
}

/// `sub; options; operands`, with `?` behind what is not sure.
fn read(text: &str) -> String {
    let argv = words(text);
    let name = text.split(' ').next().unwrap_or_default();
    let found = usage(program(name), &argv);
    let doubt = |sure| if sure { "" } else { "?" };
    let options: Vec<String> = found
        .options
        .iter()
        .map(|given| {
            let value = given
                .value
                .as_deref()
                .map(|value| format!("={}", shown(value)))
                .unwrap_or_default();
            format!("{}{value}{}", given.name, doubt(given.sure))
        })
        .collect();
    let operands: Vec<String> = found
        .operands
        .iter()
        .map(|operand| format!("{}{}", shown(operand.word), doubt(operand.sure)))
        .collect();
    let hidden = if found.has_unknown_options {
        " (hidden)"
    } else {
        ""
    };
    format!(
        "{}{}; {}; {}{hidden}",
        found.sub.join(" "),
        doubt(found.sub_sure),
        options.join(" "),
        operands.join(" ")
    )
}

#[test]
fn every_program_is_found_by_its_name() {
    for name in built_in::names() {
        assert_eq!(program(name).map(|program| program.name), Some(name));
    }
    assert!(built_in::names().count() > 1_000);
}

#[test]
fn git_options_stand_before_and_behind_the_subcommand() {
    assert_eq!(
        read("git -C app --no-pager -c a=b reset -q --hard HEAD~1"),
        "reset; -C=app --no-pager -c=a=b --quiet --hard; HEAD~1"
    );
    assert_eq!(
        read("git --git-dir=g reset HEAD --hard"),
        "reset; --git-dir=g --hard; HEAD"
    );
    assert_eq!(read("git clean -xdf"), "clean; -x -d --force; ");
    assert_eq!(
        read("git push -fu origin feat"),
        "push; --force --set-upstream; origin feat"
    );
    assert_eq!(read("git branch -Dr origin/x"), "branch; -D --remotes; origin/x");
    assert_eq!(read("git stash save x"), "stash save; ; x");
    assert_eq!(
        read("git commit -C HEAD -am msg"),
        "commit; --reuse-message=HEAD --all --message=msg; "
    );
}

#[test]
fn long_names_may_be_shortened_where_the_program_allows_it() {
    assert_eq!(read("git reset --har"), "reset; --hard; ");
    assert_eq!(read("git push --dele origin x"), "push; --delete; origin x");
    assert_eq!(
        read("git push --forc origin x"),
        "push; --force? --force-with-lease? --force-if-includes?; origin x"
    );
    assert_eq!(read("git push --force --no-force origin x"), "push; ; origin x");
}

#[test]
fn dashes_end_the_options() {
    assert_eq!(read("git checkout -q -- -f"), "checkout; --quiet; -f");
}

#[test]
fn an_unknown_word_hides_what_it_may_stand_for_and_no_more() {
    assert_eq!(read("git $X reset --hard"), "reset?; --hard;  (hidden)");
    assert_eq!(read("git push --repo=$X"), "push; --repo=?; ");
    assert_eq!(read("git reset \"$X\""), "reset; ; ?");
    assert_eq!(read("git reset $X"), "reset; ; ? (hidden)");
    assert_eq!(read("git clean {-f,-n}"), "clean; --force? --dry-run?; ");
}

#[test]
fn a_program_without_a_table_is_read_both_ways() {
    assert_eq!(
        read("nobody -xf a --b c --d=e -- g"),
        "a c?; -xf? -x? -f? --b --d=e; a? c? g"
    );
}

#[test]
fn a_broken_table_names_what_is_wrong() {
    let broken = |text| Tables::default().add(text).err();
    assert_eq!(
        broken("x = \"-a -a\""),
        Some(GrammarError::Twice("-a".to_owned()))
    );
    assert_eq!(
        broken("[x]\nlike = \"y\""),
        Some(GrammarError::Like("y".to_owned()))
    );
    assert!(matches!(
        broken("[x]\nnope = 1"),
        Some(GrammarError::Malformed(_))
    ));
    assert!(matches!(
        broken("x = \"-a=|-b\""),
        Some(GrammarError::Malformed(_))
    ));
}

/// Every program that the specification of the guard names.
const NAMED: &str = "sudo doas env command builtin exec nohup nice ionice chrt timeout time stdbuf setsid script unbuffer \
    strace ltrace watch flock taskset systemd-run chroot unshare firejail su runuser entr parallel xargs find fd ssh docker podman \
    kubectl sh bash zsh dash ksh eval source . trap npx bunx uvx pipx git busybox toybox python node deno bun perl ruby php lua \
    osascript awk base64 xxd printf openssl gunzip rev tr make npm just rm mv chmod chown rmdir unlink shred truncate dd cp tee \
    mkfs mkfs.ext4 wipefs fdisk parted blkdiscard cryptsetup mkdir touch install curl wget history shutdown reboot halt systemctl \
    userdel passwd visudo kill killall crontab iptables ufw nft yarn pnpm cargo twine gem gh pip brew apt psql mysql sqlite3 mongosh \
    redis-cli dropdb prisma rails artisan helm aws gcloud az terraform tofu pulumi toprope claude pkill tmux screen xdotool \
    set export scp rsync nc socat cut sed grep ls stat test wc cat head tail less dig nslookup host ln chattr mount tar zip uv gpg \
    docker-compose apt-get pip3 python3 python3.12 node ssh-keygen expect at batch sqlite3";

#[test]
fn every_program_the_guard_speaks_of_has_a_table() {
    let missing: Vec<&str> = NAMED
        .split_whitespace()
        .filter(|name| program(name).is_none())
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn values_are_told_from_operands() {
    assert_eq!(
        read("rm -rf --no-pre /"),
        "; --recursive --force --no-preserve-root; /"
    );
    assert_eq!(read("head -n5 f"), "; --lines=5; f");
    assert_eq!(read("head -5 f"), "; -NUM=5; f");
    assert_eq!(read("kill -9 -1"), "; -SIG=9; -1");
    assert_eq!(read("kill -KILL 12"), "; -SIG=KILL; 12");
    assert_eq!(read("make -j 8 all"), "; --jobs=8; all");
    assert_eq!(read("make -j all"), "; --jobs; all");
    assert_eq!(
        read("curl -sSLo f u"),
        "; --silent --show-error --location --output=f; u"
    );
    assert_eq!(read("curl -d @f u"), "; --data=@f; u");
    assert_eq!(
        read("tar xzf a.tgz -C d"),
        "; --extract --gzip --file=a.tgz --directory=d; "
    );
    assert_eq!(read("wget -qO- u"), "; --quiet --output-document=-; u");
    assert_eq!(read("sed -i.bak s/a/b/ f"), "; --in-place=.bak; s/a/b/ f");
    assert_eq!(
        read("cp --target-directory d *.rs"),
        "; --target-directory=d; glob *.rs"
    );
}

#[test]
fn options_end_where_the_program_says() {
    assert_eq!(read("sudo -u r rm -rf x"), "; --user=r; rm -rf x");
    assert_eq!(read("timeout -k 5 10 rm -rf x"), "; --kill-after=5; 10 rm -rf x");
    assert_eq!(read("env -i A=1 ls -la"), "; --ignore-environment; A=1 ls -la");
    assert_eq!(read("ssh -p 22 host ls -la"), "; -p=22; host ls -la");
    assert_eq!(read("xargs -I{} rm -rf {}"), "; -I={}; rm -rf {}");
}

#[test]
fn subcommands_stand_behind_global_options() {
    assert_eq!(
        read("docker --context x compose -f a.yml down -v"),
        "compose down; --context=x --file=a.yml --volumes; "
    );
    assert_eq!(
        read("docker-compose -f a.yml down -v"),
        "down; --file=a.yml --volumes; "
    );
    assert_eq!(
        read("docker run --rm -v /:/host alpine rm -rf /x"),
        "run; --rm --volume=/:/host; alpine rm -rf /x"
    );
    assert_eq!(
        read("kubectl -n prod delete pod --all"),
        "delete; --namespace=prod --all; pod"
    );
    assert_eq!(
        read("terraform -chdir=infra apply -auto-approve"),
        "apply; -chdir=infra -auto-approve; "
    );
    assert_eq!(read("terraform apply --auto-approve"), "apply; -auto-approve; ");
    assert_eq!(read("npm i -g x"), "install; --global; x");
    assert_eq!(
        read("aws --profile p s3 rm s3://b --recursive"),
        "s3 rm; --profile=p --recursive; s3://b"
    );
    assert_eq!(
        read("aws ec2 terminate-instances --instance-ids i-1 i-2 --dry-run"),
        "ec2 terminate-instances; --instance-ids=i-1 --dry-run; "
    );
    assert_eq!(
        read("gcloud compute instances delete vm --quiet"),
        "compute instances delete; --quiet; vm"
    );
    assert_eq!(read("systemctl --user stop x"), "stop; --user; x");
    assert_eq!(read("helm del x --dry-run"), "uninstall; --dry-run; x");
    assert_eq!(
        read("gh release create v1 -t title"),
        "release create; --title=title; v1"
    );
    assert_eq!(read("cargo publish --dry-run"), "publish; --dry-run; ");
}

#[test]
fn finds_expression_is_options() {
    assert_eq!(read("find . -name *.o -delete"), "; -name=glob *.o -delete; .");
    assert_eq!(
        read("find / ( -type f ) -exec rm {} ; -print"),
        "; ( -type=f ) -exec=rm -print; /"
    );
}

proptest! {
    #[test]
    fn every_word_is_told_once_and_nothing_panics(
        name in proptest::sample::select(vec!["git", "rm", "find", "tar", "docker", "aws", "terraform", "kill", "make", "bash", "gcloud", "fd", "nobody"]),
        rest in proptest::collection::vec(
            prop_oneof!["-{0,2}[a-zA-Z0-9=+;]{0,6}", Just("--".to_owned()), Just("$X".to_owned()), Just("{-f,push}".to_owned())],
            0..12,
        ),
    ) {
        let text = std::iter::once(name.to_owned()).chain(rest).collect::<Vec<_>>().join(" ");
        let argv = words(&text);
        let found = usage(program(name), &argv);
        for operand in &found.operands {
            prop_assert!(operand.index > 0 && argv.get(operand.index) == Some(operand.word));
        }
        for given in &found.options {
            prop_assert!(given.words.start == given.index && given.words.end <= argv.len() && given.index < given.words.end);
        }
    }
}
