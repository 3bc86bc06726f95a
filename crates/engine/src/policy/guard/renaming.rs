//! Other names that a text gives a file before it uses them: links, copies, moves.

use super::command_view::CommandView;
use super::path::{absolute, below, name, parent};
use shell::{Command, CommandHost, RedirectOp, Stdin, Word};

/// More names of one text are not followed.
const MOST: usize = 64;
/// How many names in a row are followed.
const DEEPEST: usize = 8;

/// The names a text has given so far.
#[derive(Debug, Default)]
pub struct Renaming {
    /// The new path, and what it was made of: a path, or the name of a program.
    names: Vec<(String, String)>,
    /// Those of them that are links: what is below them is below what they lead to.
    links: Vec<(String, String)>,
}

impl Renaming {
    /// Notes what a command links, copies or moves.
    pub fn note(&mut self, seen: &CommandView<'_>) {
        if seen.command.place == CommandHost::Local && self.names.len() < MOST {
            let given = given(seen);
            if seen.is(&["ln", "gln"]) {
                self.links.extend(given.iter().cloned());
            }
            self.names.extend(given);
        }
    }

    /// Where a path leads through links that the text made; a link itself counts only where it is followed.
    pub fn led(&self, path: &str, follows: bool) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut next = Some(path.to_owned());
        while let Some(path) = next.take().filter(|_| found.len() < DEEPEST) {
            for (link, source) in self.links.iter().rev() {
                let inside = below(&path, link).filter(|inside| follows || !inside.is_empty());
                let Some(inside) = inside else { continue };
                let led = if inside.is_empty() {
                    source.clone()
                } else {
                    format!("{}/{inside}", source.trim_end_matches('/'))
                };
                if led != path && !found.contains(&led) {
                    found.push(led.clone());
                    next = Some(led);
                    break;
                }
            }
        }
        found
    }

    /// What the program of a command is under its older names, the oldest last; none for one that the text did not make.
    pub fn older(&self, command: &Command) -> Vec<&str> {
        let Some(written) = command.argv.first().and_then(Word::literal) else {
            return Vec::new();
        };
        // A name without a folder is looked up where `PATH` says, which may well be where it was made.
        let is_it = |path: &str| {
            if written.contains('/') {
                absolute(written, command.cwd.as_deref()).as_deref() == Some(path)
            } else {
                name(path) == written
            }
        };
        let mut found = Vec::new();
        let mut next = self.names.iter().rev().find(|(path, _)| is_it(path));
        while let Some((_, source)) = next.filter(|_| found.len() < DEEPEST) {
            found.push(source.as_str());
            next = self.names.iter().rev().find(|(path, _)| path == source);
        }
        found
    }
}

/// The new paths of one command with what each is made of.
fn given(seen: &CommandView<'_>) -> Vec<(String, String)> {
    let cwd = seen.command.cwd.as_deref();
    let operands: Vec<Option<&str>> = seen
        .operands()
        .iter()
        .map(|operand| operand.word.literal())
        .collect();
    match seen.program {
        Some("ln" | "gln" | "cp" | "gcp" | "install" | "ginstall" | "mv" | "gmv" | "rsync") => {
            into(seen, &operands)
        }
        Some("dd" | "gdd") => {
            let of = |key: &str| operands.iter().flatten().find_map(|word| word.strip_prefix(key));
            let pair = of("if=").zip(of("of="));
            pair.and_then(|(from, to)| Some((absolute(to, cwd)?, absolute(from, cwd)?)))
                .into_iter()
                .collect()
        }
        Some("cat" | "tee") => poured(seen, &operands),
        Some(_) | None => Vec::new(),
    }
}

/// `cp a b`, `cp a folder/`, `cp -t folder a`. Whether a target is a folder is not known here, so it is both.
fn into(seen: &CommandView<'_>, operands: &[Option<&str>]) -> Vec<(String, String)> {
    let cwd = seen.command.cwd.as_deref();
    let folder = seen.value(&["-t", "--target-directory"]).and_then(Word::literal);
    let (sources, target) = match (folder, operands.split_last()) {
        (Some(folder), _) => (operands, folder),
        // `ln -s ../bin/x` makes `x` here.
        (None, Some((only, []))) if seen.is(&["ln", "gln"]) => (std::slice::from_ref(only), "."),
        (None, Some((Some(target), sources))) => (sources, *target),
        (None, Some((None, _)) | None) => return Vec::new(),
    };
    let is_link = seen.is(&["ln", "gln"]) && seen.has(&["-s", "--symbolic"]);
    let Some(target) = absolute(target, cwd) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for source in sources.iter().flatten().take(MOST) {
        let inside = format!("{}/{}", target.trim_end_matches('/'), name(source));
        for path in [inside, target.clone()] {
            // A symbolic link's text counts from the folder it lies in.
            let from = if is_link { Some(parent(&path)) } else { cwd };
            if let Some(source) = absolute(source, from).filter(|source| *source != path) {
                found.push((path.clone(), source));
            }
        }
    }
    found
}

/// `cat a > b`, `cat < a > b`, `tee b < a`.
fn poured(seen: &CommandView<'_>, operands: &[Option<&str>]) -> Vec<(String, String)> {
    let cwd = seen.command.cwd.as_deref();
    let input = match &seen.command.stdin {
        Stdin::File(file) => file.literal(),
        Stdin::Nothing
        | Stdin::Pipe(_)
        | Stdin::Heredoc { .. }
        | Stdin::HereString(_)
        | Stdin::Substitution(_) => None,
    };
    let redirected = seen.command.redirects.iter();
    let written = redirected
        .filter(|redirect| redirect.writes() && redirect.op != RedirectOp::ReadWrite)
        .filter_map(|redirect| redirect.target.literal());
    let (sources, targets): (Vec<&str>, Vec<&str>) = if seen.is(&["tee"]) {
        (
            input.into_iter().collect(),
            operands.iter().copied().flatten().chain(written).collect(),
        )
    } else {
        (
            operands.iter().copied().flatten().chain(input).collect(),
            written.collect(),
        )
    };
    let source = sources.first().and_then(|source| absolute(source, cwd));
    let made = |target: &&str| Some((absolute(target, cwd)?, source.clone()?));
    targets.iter().filter_map(made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shell::{self, Scene, UserWrappers};
    use std::path::Path;

    /// The older names of the last command's program.
    fn older(text: &str) -> Vec<String> {
        let wrappers = UserWrappers::default();
        let intent = shell::read(text, &Scene::at(Some(Path::new("/repo")), &wrappers));
        let mut renaming = Renaming::default();
        for (index, command) in intent.commands.iter().enumerate() {
            renaming.note(&CommandView::new(text, &intent, index, command));
        }
        let last = intent.commands.last().unwrap();
        renaming.older(last).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_program_is_followed_to_what_the_text_made_it_of() {
        for text in [
            "ln -s /bin/x t; ./t go",
            "ln /bin/x t; /repo/t go",
            "cp /bin/x t; bash -c './t go'",
            "cp /bin/x /tmp; /tmp/x go",
            "cp -t sub /bin/x; sub/x go",
            "install -m 755 /bin/x t; ./t go",
            "cat /bin/x > t; ./t go",
            "cat < /bin/x > t; ./t go",
            "tee t < /bin/x; ./t go",
            "dd if=/bin/x of=t; ./t go",
            "cd sub; ln -s ../../bin/x; ./x go",
            "ln -s /bin/x t; PATH=. t go",
        ] {
            assert_eq!(older(text), ["/bin/x"], "{text}");
        }
        assert_eq!(older("cp /bin/x a; mv a b; ./b go"), ["/repo/a", "/bin/x"]);
    }

    #[test]
    fn what_the_text_did_not_make_has_no_older_name() {
        for text in [
            "./t go",
            "cp /bin/x t; ./u go",
            "cat /bin/x; ./t go",
            "ln -s \"$X\" t; ./t go",
        ] {
            assert_eq!(older(text), [""; 0], "{text}");
        }
        assert!(older("ln -s a b; ln -s b a; ./a go").len() <= DEEPEST);
    }
}
