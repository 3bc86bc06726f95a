//! What code does, and what only looks like it.

use super::{CodeAction, Language, ProcessSpawn, scan};
use crate::word::Word;
use proptest::prelude::*;

fn shown(word: &Word) -> String {
    match word {
        Word::Literal(text) => text.replace("\u{e000}\u{e001}", "<?>"),
        Word::OneOf(texts) => texts.join("|"),
        Word::Glob { pattern } => format!("glob:{pattern}"),
        Word::Unknown {
            prefix, suffix, name, ..
        } => {
            format!("{prefix}<{}>{suffix}", name.as_deref().unwrap_or("?"))
        }
    }
}

fn done(language: Language, text: &str) -> String {
    let one = |effect: &CodeAction| match effect {
        CodeAction::Remove {
            path,
            recursive: true,
        } => format!("rm -r {}", shown(path)),
        CodeAction::Remove {
            path,
            recursive: false,
        } => format!("rm {}", shown(path)),
        CodeAction::Rename { from, to } => format!("mv {} {}", shown(from), shown(to)),
        CodeAction::Truncate { path } => format!("> {}", shown(path)),
        CodeAction::Spawn(ProcessSpawn::Text(text)) => format!("sh {}", shown(text)),
        CodeAction::Spawn(ProcessSpawn::Words(words)) => {
            format!("run {}", words.iter().map(shown).collect::<Vec<_>>().join(","))
        }
    };
    scan(language, text)
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join("; ")
}

fn check(language: Language, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(done(language, text), *expected, "{language:?}: {text}");
    }
}

#[test]
fn python_removals_and_spawns_are_found() {
    check(
        Language::Python,
        &[
            ("import shutil; shutil.rmtree('/')", "rm -r /"),
            (
                "import shutil\nshutil.rmtree(\"/etc\", ignore_errors=True)",
                "rm -r /etc",
            ),
            ("from shutil import rmtree as r\nr('x')", "rm -r x"),
            ("from shutil import (copy,\n  rmtree)\nrmtree('x')", "rm -r x"),
            (
                "import shutil as s, os as o; s.rmtree('a'); o.remove('b')",
                "rm -r a; rm b",
            ),
            ("p='/'; import shutil; shutil.rmtree(p)", "rm -r /"),
            (
                "import shutil, os; shutil.rmtree(os.path.expanduser('~'))",
                "rm -r <HOME>",
            ),
            (
                "shutil.rmtree(os.path.expanduser('~/notes'))",
                "rm -r <HOME>/notes",
            ),
            (
                "from pathlib import Path\nshutil.rmtree(Path.home() / 'x')",
                "rm -r <HOME>/x",
            ),
            ("from pathlib import Path; Path('a', 'b').unlink()", "rm a/b"),
            ("import pathlib; pathlib.Path('x').write_text('rm -rf /')", "> x"),
            ("Path('a').rename('b')", "mv a b"),
            ("for p in Path('x').glob('*'):\n    p.unlink()", "rm glob:x/*"),
            ("[p.unlink() for p in pathlib.Path('/').iterdir()]", "rm glob:/*"),
            (
                "r = Path('a')\nfor p in r.rglob('*.o'):\n  os.remove(p)",
                "rm glob:a/*.o",
            ),
            ("for f in ['a', 'b']: os.remove(f)", "rm a|b"),
            (
                "import glob\nfor f in glob.glob('/x/*'): os.remove(f)",
                "rm glob:/x/*",
            ),
            ("for f in files:\n    f.unlink()", "rm <?>"),
            ("[os.remove(f) for f in files]", "rm <?>"),
            ("os.unlink('a' + '/' + 'b')", "rm a/b"),
            (
                "os.rename('a','b'); os.replace('c', 'd'); os.truncate('e', 0)",
                "mv a b; mv c d; > e",
            ),
            ("open('f', 'w').write('x')", "> f"),
            ("with open('f', mode='wb') as h: pass", "> f"),
            ("open('f'); open('g', 'r'); open('h', 'a')", ""),
            ("os.system('rm -rf /')", "sh rm -rf /"),
            ("os.system(\"rm -rf \" + d)", "sh rm -rf <?>"),
            ("os.system(f'rm -rf {d}')", "sh rm -rf <?>"),
            ("os.system('rm -rf ' + os.environ['HOME'])", "sh rm -rf ${HOME}"),
            ("os.system(cmd)", "sh <?>"),
            ("os.system('rm -rf %s' % d)", "sh rm -rf <?>"),
            (
                "import subprocess; subprocess.run(['rm', '-rf', '/'], check=True)",
                "run rm,-rf,/",
            ),
            ("subprocess.run('rm -rf x', shell=True)", "sh rm -rf x"),
            ("subprocess.Popen(args=['rm', 'x'])", "run rm,x"),
            (
                "from subprocess import run, PIPE; run('ls -la'.split())",
                "run ls,-la",
            ),
            ("c = ['rm', '-rf', 'x']\nsubprocess.check_call(c)", "run rm,-rf,x"),
            ("__import__('os').system('ls')", "sh ls"),
            ("os.execvp('rm', ['rm', '-rf', 'x'])", "run rm,-rf,x"),
            ("os.spawnlp(os.P_WAIT, 'rm', 'rm', '-rf', 'x')", "run rm,-rf,x"),
            ("from subprocess import *\nPopen(['rm', 'x'])", "run rm,x"),
            ("from os import *; system('ls')", "sh ls"),
            ("from elsewhere import *; run(['rm', 'x'])", ""),
            ("import pty; pty.spawn('/bin/sh')", "sh /bin/sh"),
            ("exec(\"import os; os.remove('x')\")", "rm x"),
            (
                "exec(__import__('base64').b64decode('b3MucmVtb3ZlKCd4Jyk='))",
                "rm x",
            ),
            ("getattr(os, 'remove')('x')", "rm x"),
            (
                "shutil.rmtree(os.path.join(os.environ['HOME'], 'x'))",
                "rm -r <HOME>/x",
            ),
            ("if True:\n  def f():\n    shutil.rmtree('''x''')", "rm -r x"),
        ],
    );
}

#[test]
fn python_text_that_only_mentions_a_call_is_nothing() {
    check(
        Language::Python,
        &[
            ("# shutil.rmtree('/')", ""),
            ("print(\"shutil.rmtree('/')\")", ""),
            ("x = '''\nos.system('rm -rf /')\n'''", ""),
            ("print('rm -rf /')", ""),
            ("d = {'rm': 'os.remove(x)'}", ""),
            ("s.replace('a', 'b')", ""),
            ("name.remove", ""),
            ("my.rmtree_helper('/')", ""),
            ("items.remove('x')", ""),
            ("import json; print(json.dumps({'a': 1}))", ""),
        ],
    );
}

#[test]
fn javascript_removals_and_spawns_are_found() {
    check(
        Language::JavaScript,
        &[
            (
                "require('fs').rmSync('/', {recursive: true, force: true})",
                "rm -r /",
            ),
            ("const fs = require('fs'); fs.rmSync('x')", "rm x"),
            (
                "const { rmSync: r, unlinkSync } = require('node:fs'); r('a', { recursive: true }); unlinkSync('b')",
                "rm -r a; rm b",
            ),
            (
                "import fs from 'fs/promises'; await fs.rm(`x`, { recursive: true })",
                "rm -r x",
            ),
            (
                "import { rm as del } from 'node:fs/promises'\nawait del('x')",
                "rm x",
            ),
            ("import * as f from 'fs'; f.promises.unlink('x')", "rm x"),
            ("fs.promises.rm('x', {recursive:true}).then(() => {})", "rm -r x"),
            ("require('rimraf').sync('dist')", "rm -r dist"),
            (
                "const rimraf = require('rimraf'); rimraf('dist', () => {})",
                "rm -r dist",
            ),
            ("require('child_process').execSync('rm -rf /')", "sh rm -rf /"),
            (
                "const {exec} = require('child_process'); exec(`rm -rf ${d}`)",
                "sh rm -rf <?>",
            ),
            (
                "const cp = require('child_process'); cp.spawnSync('rm', ['-rf', 'x'])",
                "run rm,-rf,x",
            ),
            (
                "cp = require('child_process'); cp.spawn('rm -rf x', {shell: true})",
                "sh rm -rf x",
            ),
            (
                "fs.writeFileSync('a', 'rm -rf /'); fs.renameSync('a', 'b'); fs.truncateSync('c')",
                "> a; mv a b; > c",
            ),
            (
                "const p = require('path').join(require('os').homedir(), 'x'); fs.rmSync(p, {recursive:true})",
                "rm -r <HOME>/x",
            ),
            ("fs.rmSync(process.env.HOME, {recursive: true})", "rm -r <HOME>"),
            ("Deno.removeSync('x', { recursive: true })", "rm -r x"),
            ("new Deno.Command('rm', { args: ['-rf', 'x'] })", "run rm,-rf,x"),
            ("Bun.spawn(['rm', '-rf', 'x'])", "run rm,-rf,x"),
            ("await $`rm -rf x`", "sh rm -rf x"),
            (
                "import { execa } from 'execa'; await execa('rm', ['-rf', 'x'])",
                "run rm,-rf,x",
            ),
            ("['a','b'].forEach(f => fs.unlinkSync(f))", "rm <?>"),
            ("const x = /'/; fs.unlinkSync('a')", "rm a"),
            ("function f() { if (a) { fs.unlinkSync('x') } }", "rm x"),
        ],
    );
}

#[test]
fn javascript_text_that_only_mentions_a_call_is_nothing() {
    check(
        Language::JavaScript,
        &[
            ("// fs.rmSync('/')", ""),
            ("/* fs.rmSync('/') */", ""),
            ("console.log(\"fs.rmSync('/')\")", ""),
            ("console.log(`rm -rf /`)", ""),
            ("const s = 'child_process.execSync(1)'", ""),
            ("fs.readFileSync('x'); fs.existsSync('y')", ""),
            ("/fs.rmSync('x')/.test(s)", ""),
            ("map.delete('x'); list.remove('y')", ""),
        ],
    );
}

#[test]
fn perl_ruby_and_php_are_read_as_they_write_calls() {
    check(
        Language::Perl,
        &[
            ("system(\"rm -rf /\")", "sh rm -rf /"),
            ("system('rm', '-rf', 'x');", "run rm,-rf,x"),
            ("unlink 'a', 'b';", "rm a; rm b"),
            ("use File::Path; rmtree('x');", "rm -r x"),
            ("File::Path::remove_tree(\"x\")", "rm -r x"),
            ("my $d = '/x'; unlink $d", "rm /x"),
            ("print `rm -rf x`", "sh rm -rf x"),
            ("qx{rm -rf x}", "sh rm -rf x"),
            ("exec q(rm -rf x)", "sh rm -rf x"),
            ("open(my $f, '>', 'a'); open(F, \">b\")", "> a; > b"),
            ("open(P, \"rm x |\")", "sh rm x"),
            ("rename 'a', 'b' or die", "mv a b"),
            ("rmtree($ENV{HOME})", "rm -r <HOME>"),
            ("# system('rm')\nprint \"system('rm')\";", ""),
            ("s/unlink/x/; print q(unlink 'x')", ""),
        ],
    );
    check(
        Language::Ruby,
        &[
            ("require 'fileutils'; FileUtils.rm_rf('/')", "rm -r /"),
            ("FileUtils.rm_rf \"x\"", "rm -r x"),
            ("FileUtils.rm_rf(['a', 'b'])", "rm -r a; rm -r b"),
            ("File.delete('a'); File.unlink \"b\"", "rm a; rm b"),
            ("system('rm -rf x')", "sh rm -rf x"),
            ("system 'rm', '-rf', 'x'", "run rm,-rf,x"),
            ("`rm -rf x`", "sh rm -rf x"),
            ("%x(rm -rf #{d})", "sh rm -rf <?>"),
            ("File.write('x', 'y')", "> x"),
            ("FileUtils.rm_rf(Dir.home)", "rm -r <HOME>"),
            ("FileUtils.rm_rf(File.join(Dir.home, 'x'))", "rm -r <HOME>/x"),
            ("puts %q(FileUtils.rm_rf('/'))", ""),
            ("puts <<~EOS\n  system('rm -rf /')\nEOS\n", ""),
            ("# system('x')", ""),
        ],
    );
    check(
        Language::Php,
        &[
            ("unlink('a'); rmdir(\"b\");", "rm a; rm b"),
            (
                "shell_exec('rm -rf x'); system(\"ls\"); exec('a'); passthru('b');",
                "sh rm -rf x; sh ls; sh a; sh b",
            ),
            ("echo `rm -rf x`;", "sh rm -rf x"),
            ("$d = '/x'; unlink($d . '/y');", "rm /x/y"),
            ("file_put_contents('x', 'y');", "> x"),
            ("echo 'unlink(1)'; // unlink('x')", ""),
        ],
    );
}

#[test]
fn small_languages_are_read_too() {
    check(
        Language::Lua,
        &[
            ("os.remove('x')", "rm x"),
            ("os.execute(\"rm -rf \" .. d)", "sh rm -rf <?>"),
            ("os.execute[[rm -rf x]]", "sh rm -rf x"),
            ("-- os.remove('x')\nprint('os.remove(x)')", ""),
        ],
    );
    check(
        Language::Awk,
        &[
            ("BEGIN { system(\"rm -rf /\") }", "sh rm -rf /"),
            ("{ print | \"sh\" }", "sh sh"),
            ("{ system(\"rm -rf \" $1) }", "sh rm -rf <?>"),
            ("BEGIN { \"rm x\" | getline }", "sh rm x"),
            ("{ print $1 > \"out\" }", "> out"),
            ("{ print \"system(rm)\" }", ""),
            ("$1 > \"a\" { print }", ""),
        ],
    );
    check(
        Language::AppleScript,
        &[
            ("do shell script \"rm -rf x\"", "sh rm -rf x"),
            ("tell application \"Terminal\" to do script \"rm x\"", "sh rm x"),
            ("display dialog \"do shell script\"", ""),
        ],
    );
    check(
        Language::Tcl,
        &[
            ("spawn toprope guard allow g-1", "run toprope,guard,allow,g-1"),
            ("file delete -force /x", "rm -r /x"),
            ("puts \"exec rm\"", ""),
        ],
    );
}

const LANGUAGES: [Language; 9] = [
    Language::Python,
    Language::JavaScript,
    Language::Perl,
    Language::Ruby,
    Language::Php,
    Language::Lua,
    Language::AppleScript,
    Language::Awk,
    Language::Tcl,
];

#[test]
fn hostile_code_ends() {
    let deep = [
        "(",
        "[",
        "{",
        "{{a:",
        "f(",
        "`",
        "'",
        "a.",
        "from ",
        "import ",
        "-",
        "x=",
        "<<A\n",
        "%(",
        "q(",
        "os.system(",
    ];
    for language in LANGUAGES {
        for piece in deep {
            let found = scan(language, &piece.repeat(4_000));
            assert!(found.len() <= 256, "{language:?} {piece}");
        }
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_scan(text in "[ -~\n'\"`(){}\\[\\]$%#/\\\\é]{0,200}") {
        for language in LANGUAGES {
            prop_assert!(scan(language, &text).len() <= 256);
        }
    }
}
