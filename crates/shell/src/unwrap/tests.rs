//! What commands run themselves, wrapper by wrapper.

use super::inner;
use crate::inner::{CodeSource, Inner, Inputs};
use crate::place::CommandHost;
use crate::scene::{UserWrapper, UserWrappers};
use crate::word::Word;
use proptest::prelude::*;

/// Words are split at blanks, `_` stands for a blank inside one, `$X` is unknown.
fn words(text: &str) -> Vec<Word> {
    let one = |word: &str| match word {
        "$X" => Word::unknown_words(),
        "\"$X\"" => Word::unknown(),
        word => Word::new(word.replace('_', " ")),
    };
    text.split(' ').map(one).collect()
}

fn shown(word: &Word) -> String {
    match word {
        Word::Literal(text) if text.contains(' ') => format!("'{text}'"),
        Word::Literal(text) => text.clone(),
        Word::OneOf(texts) => format!("{{{}}}", texts.join(",")),
        Word::Glob { pattern } => format!("glob:{pattern}"),
        Word::Unknown { prefix, suffix, .. } => format!("{prefix}<?>{suffix}"),
    }
}

fn row(words: &[Word]) -> String {
    words.iter().map(shown).collect::<Vec<_>>().join(" ")
}

fn at(place: Option<&CommandHost>) -> String {
    match place {
        None | Some(CommandHost::Local) => String::new(),
        Some(CommandHost::Remote { host }) => format!("@{host} "),
        Some(CommandHost::Container) => "@container ".to_owned(),
    }
}

fn source(source: &CodeSource) -> String {
    match source {
        CodeSource::Text(text) => shown(text),
        CodeSource::Stdin => "stdin".to_owned(),
        CodeSource::File(path) => format!("file {}", shown(path)),
    }
}

fn one(inner: &Inner) -> String {
    match inner {
        Inner::Words {
            words,
            inputs,
            cwd,
            env,
            place,
            through,
            ..
        } => {
            let inputs = match inputs {
                Inputs::None => String::new(),
                Inputs::Known(words) => format!(" +{}", row(words)),
                Inputs::Stdin { replace: None } => " +stdin".to_owned(),
                Inputs::Stdin { replace: Some(place) } => format!(" {place}=stdin"),
            };
            let cwd = cwd
                .as_ref()
                .map(|cwd| format!("in {} ", shown(cwd)))
                .unwrap_or_default();
            let env = env.iter().fold(String::new(), |all, (name, value)| {
                all + name + "=" + &shown(value) + " "
            });
            format!(
                "{through}: {}{cwd}{env}{}{inputs}",
                at(place.as_ref()),
                row(words)
            )
        }
        Inner::Text {
            text,
            arguments,
            place,
            through,
            is_same_shell,
        } => {
            let same = if *is_same_shell { "here " } else { "" };
            let arguments = if arguments.is_empty() {
                String::new()
            } else {
                format!(" ({})", row(arguments))
            };
            format!(
                "{through}: {}{same}text {}{arguments}",
                at(place.as_ref()),
                shown(text)
            )
        }
        Inner::Stdin { place, through } => format!("{through}: {}stdin", at(place.as_ref())),
        Inner::File {
            path,
            through,
            is_same_shell,
            ..
        } => {
            format!(
                "{through}: {}file {}",
                if *is_same_shell { "here " } else { "" },
                shown(path)
            )
        }
        Inner::Code {
            language,
            source: code,
            through,
        } => format!("{through}: {language:?} {}", source(code)),
        Inner::Sql {
            dialect,
            source: code,
        } => format!("{dialect:?} {}", source(code)),
        Inner::Task { runner, name } => format!("task {runner} {name}"),
    }
}

fn run(text: &str) -> String {
    let found = inner(&words(text), &UserWrappers::default());
    found.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(run(text), *expected, "{text}");
    }
}

#[test]
fn wrappers_hand_on_the_command_behind_their_own_words() {
    check(&[
        ("sudo rm -rf x", "sudo: rm -rf x"),
        ("sudo -u root -E A=1 rm -rf x", "sudo: A=1 rm -rf x"),
        ("sudo -u x -i rm -rf y", "sudo: rm -rf y"),
        ("sudo -nH -- rm x", "sudo: rm x"),
        ("sudo -D /x rm y", "sudo: in /x rm y"),
        ("sudo -l", ""),
        ("sudo -s", "sudo: stdin"),
        ("su - x", "su: stdin"),
        ("sudo", ""),
        ("/usr/bin/sudo ls", "sudo: ls"),
        ("doas -u r rm x", "doas: rm x"),
        ("env A=1 B=2 rm -fr x", "env: A=1 B=2 rm -fr x"),
        ("env -i -u X PATH=/bin rm x", "env: X= HOME= PATH=/bin rm x"),
        ("env -C /tmp rm x", "env: in /tmp rm x"),
        ("env -S rm_-rf_x", "env: rm -rf x"),
        ("env --split-string=A=1_rm x", "env: A=1 rm x"),
        ("env", ""),
        ("command rm x", "command: rm x"),
        ("command -v rm", ""),
        ("builtin cd x", "builtin: cd x"),
        ("exec -a n rm x", "exec: rm x"),
        ("nohup rm x", "nohup: rm x"),
        ("tini -- rm x", "tini: rm x"),
        ("faketime -f 1d rm x", "faketime: rm x"),
        ("xvfb-run -a rm x", "xvfb-run: rm x"),
        ("arch -x86_64 rm x", "arch: rm x"),
        ("cgexec -g cpu:x rm x", "cgexec: rm x"),
        ("aws-vault exec p -- rm x", "aws-vault exec: rm x"),
        ("nix develop -c rm x", "nix: rm x"),
        ("nix-shell -p jq --run rm_x", "nix-shell: text 'rm x'"),
        ("sed 1e_rm_x f", "sed: text 'rm x'"),
        ("sed s/e_x/y/ f", ""),
        ("nice -n 5 rm x", "nice: rm x"),
        ("nice -5 rm x", "nice: rm x"),
        ("ionice -c2 -n7 rm x", "ionice: rm x"),
        ("chrt -f 10 rm x", "chrt: rm x"),
        ("timeout -k 5 --signal=KILL 10s rm x", "timeout: rm x"),
        ("time -p rm x", "time: rm x"),
        ("stdbuf -oL rm x", "stdbuf: rm x"),
        ("setsid -f rm x", "setsid: rm x"),
        ("unbuffer rm x", "unbuffer: rm x"),
        ("strace -f -o out rm x", "strace: rm x"),
        ("ltrace -S rm x", "ltrace: rm x"),
        ("taskset -c 0,1 rm x", "taskset: rm x"),
        ("systemd-run --user --scope -p A=b rm x", "systemd-run: rm x"),
        ("chroot /mnt rm x", "chroot: @container rm x"),
        ("unshare -rn rm x", "unshare: rm x"),
        ("firejail --quiet rm x", "firejail: rm x"),
        ("busybox rm x", "busybox: rm x"),
        ("toybox rm x", "toybox: rm x"),
        ("poetry run rm x", "poetry run: rm x"),
        ("uv run rm x", "uv run: rm x"),
        ("bundle exec rm x", "bundle exec: rm x"),
        ("cross-env A=1 rm x", "cross-env: A=1 rm x"),
        ("flock /lock rm x", "flock: rm x"),
        ("flock -n /lock -c rm_x", "flock: text 'rm x'"),
        ("script -q /dev/null rm x", "script: rm x"),
        ("script -qc rm_x /dev/null", "script: text 'rm x'"),
        ("runuser -u x -- rm y", "runuser: rm y"),
        ("runuser x -c rm_y", "runuser: text 'rm y'"),
        ("su - x -c rm_y", "su: text 'rm y'"),
        ("su -c rm_y", "su: text 'rm y'"),
        ("watch -n 1 rm x", "watch: text 'rm x'"),
        ("watch -x rm x", "watch: rm x"),
        ("entr -r rm x", "entr: rm x"),
        ("entr -s rm_x", "entr: text 'rm x'"),
        ("ls -la", ""),
        ("rm -rf x", ""),
    ]);
}

#[test]
fn shells_run_text_files_and_input() {
    check(&[
        ("bash -c rm_x", "bash -c: text 'rm x'"),
        ("bash -lc rm_x", "bash -lc: text 'rm x'"),
        ("sh -ec rm_x", "sh -ec: text 'rm x'"),
        (
            "bash -o pipefail -c rm_$1 name a b",
            "bash -c: text 'rm $1' (a b)",
        ),
        ("bash -euo pipefail -c rm_x", "bash -c: text 'rm x'"),
        ("bash --norc -c rm_x", "bash -c: text 'rm x'"),
        ("bash +e -c rm_x", "bash -c: text 'rm x'"),
        ("zsh -ic rm_x", "zsh -ic: text 'rm x'"),
        ("fish -c rm_x", "fish -c: text 'rm x'"),
        ("bash -c \"$X\"", "bash -c: text <?>"),
        ("bash x.sh a", "bash: file x.sh"),
        ("bash -x x.sh", "bash: file x.sh"),
        ("bash -n x.sh", ""),
        ("bash", "bash: stdin"),
        ("sh -s a b", "sh: stdin"),
        ("bash -s -- a", "bash: stdin"),
        ("sh /dev/stdin", "sh: stdin"),
        ("bash --version", ""),
        ("eval rm -rf x", "eval: here text 'rm -rf x'"),
        ("eval \"$X\"", "eval: here text <?>"),
        ("eval rm \"$X\"", "eval: here text 'rm \u{e000}\u{e001}'"),
        ("eval $X \"$X\"", "eval: here text <?>"),
        ("ssh h rm -rf \"$X\"", "ssh: @h text 'rm -rf \u{e000}\u{e001}'"),
        ("source x.sh", "source: here file x.sh"),
        (". ./x", ".: here file ./x"),
        ("trap rm_x EXIT", "trap: here text 'rm x'"),
        ("trap - EXIT", ""),
        ("at now", "at: stdin"),
        ("at -l", ""),
        ("at -f x.sh now", "at: file x.sh"),
    ]);
}

#[test]
fn inputs_of_others_become_words() {
    check(&[
        ("xargs rm -rf", "xargs: rm -rf +stdin"),
        ("xargs -0 -n 1 rm", "xargs: rm +stdin"),
        ("xargs -I{} rm -rf {}/x", "xargs: rm -rf {}/x {}=stdin"),
        ("xargs -i rm {}", "xargs: rm {} {}=stdin"),
        ("xargs -a list rm", "xargs: rm +<?>"),
        ("xargs", ""),
        (
            "parallel sh -c rm_-rf_{}/x ::: \"$X\"",
            "parallel: sh -c 'rm -rf \u{e000}\u{e001}/x'",
        ),
        ("find . -exec rm -rf {} ;", "find -exec: rm -rf ."),
        ("find / -exec rm -rf {} +", "find -exec: rm -rf /"),
        (
            "find a b -name *.o -exec rm {} ;",
            "find -exec: rm glob:a/**/*.o glob:b/**/*.o",
        ),
        ("find . -type f -execdir rm {} ;", "find -execdir: rm glob:./**/*"),
        ("find . -mindepth 1 -ok rm -r {} ;", "find -ok: rm -r glob:./**/*"),
        (
            "find . -exec echo {} ; -exec rm {} ;",
            "find -exec: echo .; find -exec: rm .",
        ),
        (
            "find . -exec sh -c rm_$1 _ {} ;",
            "find -exec: sh -c 'rm $1' ' ' .",
        ),
        ("find . -delete", ""),
        ("find", ""),
        ("fd -e o -x rm", "fd --exec: rm glob:./**/*"),
        ("fd pat dir -X rm -rf {}", "fd --exec-batch: rm -rf glob:dir/**/*"),
        ("parallel rm -rf ::: a b", "parallel: rm -rf {a,b}"),
        (
            "parallel rm_-rf_{} ::: a b",
            "parallel: text 'rm -rf a'; parallel: text 'rm -rf b'",
        ),
        ("parallel -j4 rm {}", "parallel: rm {} {}=stdin"),
        (
            "parallel ::: rm_a rm_b",
            "parallel: text 'rm a'; parallel: text 'rm b'",
        ),
        ("parallel", "parallel: stdin"),
    ]);
}

#[test]
fn other_machines_get_their_own_place() {
    check(&[
        ("ssh h rm -rf x", "ssh: @h text 'rm -rf x'"),
        ("ssh -p 22 -i key u@h rm_x", "ssh: @u@h text 'rm x'"),
        ("ssh h", "ssh: @h stdin"),
        ("ssh -N -L 1:2:3 h", ""),
        (
            "ssh -o ProxyCommand=nc_a h ls",
            "ssh: text 'nc a'; ssh: @h text ls",
        ),
        ("sshpass -p x ssh h rm", "sshpass: ssh h rm"),
        ("docker exec -it c rm -rf /x", "docker exec: @container rm -rf /x"),
        (
            "docker run --rm -v a:b alpine sh -c rm_x",
            "docker run: @container sh -c 'rm x'",
        ),
        (
            "docker run --entrypoint rm alpine -rf x",
            "docker run: @container rm -rf x",
        ),
        ("podman run alpine", ""),
        (
            "docker compose -f a exec db rm x",
            "docker compose: @container rm x",
        ),
        (
            "docker-compose run web rm x",
            "docker-compose run: @container rm x",
        ),
        ("docker ps -a", ""),
        ("kubectl exec -n a pod -- rm x", "kubectl exec: @container rm x"),
        (
            "kubectl exec -it pod -c c -- sh -c rm_x",
            "kubectl exec: @container sh -c 'rm x'",
        ),
        ("kubectl get pods", ""),
    ]);
}

#[test]
fn tools_run_packages_text_and_tasks() {
    check(&[
        ("npx rimraf dist", "npx: rimraf dist"),
        ("npx -y rimraf@5 dist", "npx: rimraf dist"),
        ("npx @scope/tool@1 x", "npx: tool x"),
        ("npx -c rm_x", "npx: text 'rm x'"),
        ("bunx rimraf dist", "bunx: rimraf dist"),
        ("uvx ruff@latest check", "uvx: ruff check"),
        ("pipx run black==1 x", "pipx run: black x"),
        ("pnpm dlx rimraf dist", "pnpm dlx: rimraf dist"),
        ("npm exec -- rimraf dist", "npm exec: rimraf dist"),
        ("git bisect run rm x", "git bisect: rm x"),
        (
            "git submodule foreach --recursive git reset --hard",
            "git submodule: text 'git reset --hard'",
        ),
        (
            "git rebase -x rm_x --exec=ls main",
            "git rebase: text 'rm x'; git rebase: text ls",
        ),
        (
            "git filter-branch --tree-filter rm_x HEAD",
            "git filter-branch: text 'rm x'",
        ),
        ("git status", ""),
        ("make", "task make "),
        ("make -C d -j8 clean all A=b", "task make clean; task make all"),
        ("make -n clean", ""),
        ("just deploy prod", "task just deploy"),
        ("npm run build -- --x", "task npm build"),
        ("npm test", "task npm test"),
        ("yarn build", "task yarn build; yarn: build"),
        ("yarn rimraf x", "task yarn rimraf; yarn: rimraf x"),
        ("yarn add x", ""),
        ("pnpm run -r x", "task pnpm x"),
        ("npm install", ""),
        ("tmux new-session -d -s n rm_x", "tmux new-session: text 'rm x'"),
        ("tmux send-keys -t n rm_x Enter", "tmux send-keys: text 'rm x\n'"),
        ("tmux ls", ""),
        ("screen -dmS n rm x", "screen: rm x"),
        ("screen -S n -X stuff rm_x^M", "screen: text 'rm x\n'"),
    ]);
}

#[test]
fn interpreters_and_clients_get_their_code() {
    check(&[
        ("python3 -c import_os", "python3 -c: Python 'import os'"),
        ("python3 -Ic import_os a", "python3 -c: Python 'import os'"),
        ("python3.12 x.py a", "python3.12: Python file x.py"),
        ("python -", "python: Python stdin"),
        ("python", "python: Python stdin"),
        ("python -m pip install x", "python: pip install x"),
        ("python --version", ""),
        ("python manage.py flush", "python: manage.py flush"),
        ("node -e x()", "node -e: JavaScript x()"),
        ("node -pe x", "node -pe: JavaScript x"),
        ("node --eval=x", "node -e: JavaScript x"),
        ("node x.js", "node: JavaScript file x.js"),
        ("deno eval x", "deno: JavaScript x"),
        ("deno run -A x.ts", "deno: JavaScript file x.ts"),
        ("bun -e x", "bun -e: JavaScript x"),
        ("bun x.ts", "bun: JavaScript file x.ts"),
        ("perl -e a -e b", "perl -e: Perl a\nb"),
        ("perl -pi -e s/a/b/ f", "perl -e: Perl s/a/b/"),
        ("perl -lne print f", "perl -e: Perl print"),
        ("ruby -e x", "ruby -e: Ruby x"),
        ("php -r x", "php -r: Php x"),
        ("php artisan migrate:fresh", "php: artisan migrate:fresh"),
        ("lua -e x", "lua -e: Lua x"),
        ("osascript -e x", "osascript -e: AppleScript x"),
        ("awk -F: {print} f", "awk: Awk {print}"),
        ("awk -f x.awk f", "awk: Awk file x.awk"),
        ("psql -h h -c DROP_x db", "Sql 'DROP x'"),
        ("psql -f x.sql db", "Sql file x.sql"),
        ("psql db", "Sql stdin"),
        ("mysql -u r -pX -e DROP_x", "Sql 'DROP x'"),
        ("sqlite3 a.db DROP_x", "Sql 'DROP x'"),
        ("sqlite3 -header a.db", "Sql stdin"),
        ("mongosh --eval x", "Mongo x"),
        ("redis-cli -h h flushall async", "Redis 'flushall async'"),
        ("redis-cli del $X", "Redis 'del *'"),
        ("mysqladmin drop db", "Sql 'DROP DATABASE db'"),
    ]);
}

#[test]
fn a_persons_own_wrapper_is_transparent() {
    let wrappers = UserWrappers {
        programs: [("with-env".to_owned(), UserWrapper { skip: 1 })]
            .into_iter()
            .collect(),
    };
    let found = inner(&words("with-env -q prod rm x"), &wrappers);
    assert_eq!(found.iter().map(one).collect::<Vec<_>>(), ["with-env: rm x"]);
}

#[test]
fn the_inner_words_say_where_they_stand() {
    let found = inner(&words("sudo -u r rm x"), &UserWrappers::default());
    assert!(matches!(found.first(), Some(Inner::Words { from: Some(range), .. }) if *range == (3..5)));
}

const PROGRAMS: &[&str] = &[
    "sudo",
    "env",
    "bash",
    "xargs",
    "find",
    "fd",
    "parallel",
    "ssh",
    "docker",
    "kubectl",
    "git",
    "npx",
    "python",
    "node",
    "perl",
    "awk",
    "tmux",
    "screen",
    "make",
    "psql",
    "redis-cli",
    "timeout",
    "su",
    "script",
    "flock",
    "tar",
    "eval",
    "trap",
    "npm",
    "aws",
];

proptest! {
    #[test]
    fn no_words_break_it(
        program in 0..PROGRAMS.len(),
        rest in proptest::collection::vec(
            prop_oneof!["-{0,2}[a-zA-Z{}=;+:0-9 ]{0,6}", Just("--".to_owned()), Just(";".to_owned()), Just("$X".to_owned()), Just("exec".to_owned())],
            0..12,
        ),
    ) {
        let text = std::iter::once(PROGRAMS[program].to_owned()).chain(rest).collect::<Vec<_>>().join(" ");
        prop_assert!(inner(&words(&text), &UserWrappers::default()).len() <= 64);
    }
}
