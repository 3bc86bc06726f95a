//! A made-up world for examples and cases: every fact comes from the case, none from the machine.

use super::facts::{
    DenialFact, GateFacts, GuardFacts, LossFact, LossOf, OwnPlaces, PathFact, PathKind, RepositoryFact,
    SettingsFileFact, StrikeFact, VersionFact, WorldQuestion,
};
use super::glob::{StarReach, fits};
use super::judge::judge;
use super::judged::Judged;
use super::loading::RuleSource;
use super::path::{absolute, below, is_within, name};
use super::rule::Rule;
use super::ruleset::RuleSet;
use crate::settings::{Mode, Settings};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The home of the made-up person.
pub const HOME: &str = "/home/dev";
/// Their project.
pub const ROOT: &str = "/home/dev/project";
/// Its settings, where they are the person's own.
const LOCAL_SETTINGS: &str = ".claude/settings.local.json";
/// Rounds of questions after which what is known must do.
const MOST_ROUNDS: usize = 6;

/// What is different from the usual in a made-up world. Paths are relative to the project, or absolute.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of one world")]
#[derive(Debug, Clone)]
pub struct Synthetic {
    /// The folder the command starts in.
    pub cwd: String,
    /// The branch of the project.
    pub branch: String,
    /// Whether a person watches.
    pub attended: bool,
    /// Files git knows.
    pub tracked: Vec<String>,
    /// Files and folders git ignores; `*` for any text in a name.
    pub ignored: Vec<String>,
    /// Files this session made.
    pub created: Vec<String>,
    /// Other files that are there.
    pub exists: Vec<String>,
    /// Links, and where they lead.
    pub links: BTreeMap<String, String>,
    /// Scripts this session wrote.
    pub scripts: BTreeMap<String, String>,
    /// Aliases of git.
    pub aliases: BTreeMap<String, String>,
    /// Commands that were held, and whose warning was heard.
    pub heard: Vec<String>,
    /// Commands that were held, and whose warning was not heard yet.
    pub warned: Vec<String>,
    /// Rules whose advice was given.
    pub advised: Vec<String>,
    /// Another agent works here.
    pub shared: bool,
    /// What is under way in git.
    pub operation: Option<String>,
    /// Staged paths.
    pub staged: Option<Vec<String>>,
    /// Changed tracked paths.
    pub changed: Option<Vec<String>>,
    /// Changed and unknown files, as numbers.
    pub counts: Option<(u64, u64)>,
    /// Size in bytes of what is ignored.
    pub ignored_bytes: u64,
    /// A settings file of the project has Toprope called, and git does not know it.
    pub hooked: bool,
    /// What the gates say.
    pub gates: GateFacts,
    /// Earlier denials.
    pub denials: Vec<DenialFact>,
    /// The id a parked request gets.
    pub request: Option<String>,
    /// No rewrite may be sent.
    pub no_rewrite: bool,
    /// A person approved exactly this.
    pub approval: Option<String>,
    /// The client's scratch folder.
    pub client_scratch: Option<String>,
}

impl Default for Synthetic {
    fn default() -> Self {
        Self {
            cwd: ROOT.to_owned(),
            branch: "feature".to_owned(),
            attended: true,
            tracked: [
                "src/main.rs",
                "notes.txt",
                "docs/guide.md",
                "data.csv",
                "run.sh",
                "tool",
            ]
            .map(str::to_owned)
            .into(),
            ignored: ["node_modules", "target", "*.log", ".env", "build", "dist"]
                .map(str::to_owned)
                .into(),
            created: Vec::new(),
            exists: ["P", "x", "foo", "newdir", "a/b/c"].map(str::to_owned).into(),
            links: BTreeMap::new(),
            scripts: BTreeMap::new(),
            aliases: BTreeMap::new(),
            heard: Vec::new(),
            warned: Vec::new(),
            advised: Vec::new(),
            shared: false,
            operation: None,
            staged: None,
            changed: None,
            counts: None,
            ignored_bytes: 4_096,
            hooked: false,
            gates: GateFacts::default(),
            denials: Vec::new(),
            request: None,
            no_rewrite: false,
            approval: None,
            client_scratch: None,
        }
    }
}

impl Synthetic {
    /// Judges a command in this world, asking it until nothing new is asked.
    pub fn judge(&self, command: &str, rules: &RuleSet) -> Judged {
        let mut facts = self.facts();
        facts.strikes = self.strikes(rules);
        self.judge_knowing(command, rules, facts)
    }

    /// What was held in this world before, as it is remembered.
    pub fn strikes(&self, rules: &RuleSet) -> Vec<StrikeFact> {
        let held = |commands: &[String], heard: bool| -> Vec<StrikeFact> {
            let judged = commands
                .iter()
                .flat_map(|command| self.judge_knowing(command, rules, self.facts()).warned);
            judged
                .map(|struck| StrikeFact {
                    rule: struck.rule,
                    heard,
                    targets: struck.targets,
                })
                .collect()
        };
        [held(&self.heard, true), held(&self.warned, false)].concat()
    }

    fn judge_knowing(&self, command: &str, rules: &RuleSet, mut facts: GuardFacts) -> Judged {
        let mut judged = judge(command, rules, &facts);
        for _ in 0..MOST_ROUNDS {
            if judged.asked.is_empty() {
                break;
            }
            for asked in std::mem::take(&mut judged.asked) {
                self.answer(&asked, &mut facts);
            }
            judged = judge(command, rules, &facts);
        }
        judged
    }

    /// What is known before anything was asked.
    pub fn facts(&self) -> GuardFacts {
        GuardFacts {
            cwd: Some(absolute_of(&self.cwd)),
            home: Some(HOME.to_owned()),
            user: Some("dev".to_owned()),
            attended: self.attended,
            client_scratch: self.client_scratch.clone(),
            own: OwnPlaces {
                home: Some(format!("{HOME}/.local/state/toprope")),
                socket: Some("/run/user/1000/toprope".to_owned()),
                config: Some(format!("{HOME}/.config/toprope")),
                binaries: vec!["/usr/local/bin/toprope".to_owned()],
                daemon_pid: Some(4_242),
                agent_settings: vec![format!("{HOME}/.claude")],
                settings: std::iter::once(format!("{HOME}/.claude/settings.json"))
                    .chain(self.hooked.then(|| format!("{ROOT}/{LOCAL_SETTINGS}")))
                    .map(|path| SettingsFileFact {
                        path,
                        hooked: true,
                        ..SettingsFileFact::default()
                    })
                    .collect(),
            },
            advised: self.advised.clone(),
            shared: self.shared,
            denials: self.denials.clone(),
            request: self.request.clone(),
            approval: self.approval.clone(),
            gates: self.gates.clone(),
            no_rewrite: self.no_rewrite,
            ..GuardFacts::default()
        }
    }

    /// Answers one question.
    pub fn answer(&self, asked: &WorldQuestion, facts: &mut GuardFacts) {
        match asked {
            WorldQuestion::Path { path } | WorldQuestion::Identity { path } => {
                facts.know_path(path, self.path(path));
            }
            WorldQuestion::Repository { cwd } => facts.know_repository(cwd, self.repository(cwd)),
            WorldQuestion::GitAlias { cwd, name } => {
                facts.know_alias(cwd, name, self.aliases.get(name).cloned());
            }
            WorldQuestion::Script { path } => {
                let script = self
                    .scripts
                    .iter()
                    .find(|(file, _)| absolute_of(file) == *path)
                    .map(|(_, text)| text.clone());
                facts.scripts.insert(path.clone(), script);
            }
            WorldQuestion::Version { cwd, revision, path } => {
                facts.know_version(cwd, revision, path, VersionFact::default());
            }
            WorldQuestion::Matches { pattern } => {
                facts.matches.insert(pattern.clone(), None);
            }
            WorldQuestion::Loss { cwd, of } => facts.know_loss(cwd, of, self.loss(of)),
            WorldQuestion::Program { path } => {
                facts
                    .programs
                    .insert(path.clone(), path.ends_with("/renamed-toprope"));
            }
            WorldQuestion::Text { path } => {
                let text = "{\n  \"hooks\": [\n    { \"command\": \"toprope\", \"args\": [\"hook\", \"claude-code\"] }\n  ]\n}\n";
                facts.texts.insert(path.clone(), Some(text.to_owned()));
            }
        }
    }

    /// What git counts; nothing where the case says nothing of it.
    fn loss(&self, of: &LossOf) -> Option<LossFact> {
        let (changed, untracked) = self.counts?;
        let (count, name) = match of {
            LossOf::Changes { .. } | LossOf::Unstaged { .. } | LossOf::Replaced { .. } | LossOf::Staged => {
                (changed, "src/m")
            }
            LossOf::Clean { .. } => (untracked, "new/u"),
            // How many commits a branch alone has, no case says.
            LossOf::Branches { .. } | LossOf::Tags { .. } | LossOf::Stash => return None,
            LossOf::Commits { .. } | LossOf::Uncovered { .. } => (0, ""),
        };
        // To `-X` an exclusion is one more thing to remove.
        let hooks = match of {
            LossOf::Clean { words } => {
                let has = |word: &str| words.iter().any(|known| known == word);
                self.hooked && (has("-X") || !has("--exclude=.claude"))
            }
            _ => false,
        };
        Some(LossFact {
            count: count + u64::from(hooks),
            first: (1..=count.min(3))
                .map(|number| format!("{name}{number}.rs"))
                .collect(),
            hooks: hooks.then(|| LOCAL_SETTINGS.to_owned()).into_iter().collect(),
            ..LossFact::default()
        })
    }

    fn path(&self, path: &str) -> PathFact {
        let has = |list: &[String]| {
            list.iter()
                .map(|file| absolute_of(file))
                .any(|file| is_within(&file, path))
        };
        let is_below = |list: &[String]| {
            list.iter()
                .map(|file| absolute_of(file))
                .any(|file| is_within(path, &file))
        };
        let inside = below(path, ROOT);
        let ignored = inside.is_some_and(|inside| {
            inside.split('/').any(|part| {
                self.ignored
                    .iter()
                    .any(|pattern| fits(pattern, part, StarReach::Name))
            }) || self
                .ignored
                .iter()
                .any(|pattern| is_within(inside, pattern) && !inside.is_empty())
        }) && !has(&self.tracked);
        let tracked = has(&self.tracked);
        let created = is_below(&self.created);
        let link = self
            .links
            .iter()
            .map(|(link, target)| (absolute_of(link), target))
            .find(|(link, _)| is_within(path, link));
        let real = link.map(|(link, target)| {
            format!("{target}{}", path.strip_prefix(link.as_str()).unwrap_or_default())
        });
        let folder = self
            .tracked
            .iter()
            .chain(&self.exists)
            .map(|file| absolute_of(file))
            .any(|file| file != path && is_within(&file, path));
        let other = [
            "/home/dev/other-project",
            "/home/dev/wt",
            "/home/dev/dirty",
            "/home/dev/other-wt",
        ]
        .into_iter()
        .find(|root| is_within(path, root));
        // A build has run, whatever git is told about it.
        let is_built = inside.is_some_and(|inside| {
            inside
                .split('/')
                .any(|part| matches!(part, "node_modules" | "target" | "build" | "dist"))
        });
        PathFact {
            exists: tracked || ignored || created || is_built || has(&self.exists) || real.is_some(),
            kind: if folder { PathKind::Folder } else { PathKind::File },
            real: real.unwrap_or_default(),
            tracked,
            ignored,
            bytes: if ignored { self.ignored_bytes } else { 0 },
            files: 1,
            created,
            worktree: other.map(str::to_owned),
            git_dir: is_within(path, &format!("{ROOT}/.git")),
            private_key: name(path).contains("private"),
            ..PathFact::default()
        }
    }

    fn repository(&self, cwd: &str) -> Option<RepositoryFact> {
        let trees = [ROOT, "/home/dev/wt", "/home/dev/dirty", "/home/dev/other-wt"];
        let root = trees.into_iter().find(|root| is_within(cwd, root))?;
        let is_main = root == ROOT;
        Some(RepositoryFact {
            root: root.to_owned(),
            common_dir: format!("{ROOT}/.git"),
            git_dir: format!("{ROOT}/.git"),
            main_worktree: ROOT.to_owned(),
            worktrees: trees.map(str::to_owned).into(),
            branch: Some(if is_main {
                self.branch.clone()
            } else {
                "topic".to_owned()
            }),
            default_branch: Some("main".to_owned()),
            branches: ["main", "feature", "topic", "feature-branch", "feature-x"]
                .map(str::to_owned)
                .into(),
            operation: self.operation.clone(),
            staged: self.staged.clone(),
            changed: self.changed.clone(),
            dirty_worktrees: vec!["/home/dev/dirty".to_owned()],
            ..RepositoryFact::default()
        })
    }
}

/// A path of a case, as the shell would find it.
fn absolute_of(path: &str) -> String {
    let home = path.strip_prefix("~/").map(|rest| format!("{HOME}/{rest}"));
    let path = home.as_deref().unwrap_or(path);
    absolute(path, Some(ROOT)).unwrap_or_else(|| ROOT.to_owned())
}

/// The first example of a rule that does not hold, and whether it should have matched.
pub fn failing_example(rule: &Arc<Rule>, origin: RuleSource) -> Option<(String, bool)> {
    let mut settings = Settings::default();
    "tmp".clone_into(&mut settings.guard.scratch_dir);
    let rules = RuleSet::only(&settings, origin, rule);
    let worlds = example_worlds(rule);
    let matches = |world: &Synthetic, command: &str| {
        if rule.tool.is_some() {
            return super::tool::example(rule, command);
        }
        let judged = world.judge(command, &rules);
        judged.findings.iter().any(|finding| finding.rule == rule.id)
            || judged.rewrites.iter().any(|rewrite| rewrite.rule == rule.id)
    };
    let missed = rule
        .hits
        .iter()
        .find(|command| !worlds.iter().any(|world| matches(world, command)));
    if let Some(command) = missed {
        return Some((command.clone(), true));
    }
    let hit = rule
        .misses
        .iter()
        .find(|command| worlds.iter().any(|world| matches(world, command)));
    hit.map(|command| (command.clone(), false))
}

/// Examples run on a branch of their own, and on a protected one whose tests fail and on which another agent works.
pub(super) fn example_worlds(rule: &Rule) -> [Synthetic; 2] {
    let attended = rule.when.attended.unwrap_or(true);
    let quiet = Synthetic {
        attended,
        ..Synthetic::default()
    };
    let gates = GateFacts {
        branch: Some(Mode::Enforce),
        test: Some(Mode::Enforce),
        tests_red: true,
        plan_files: Vec::new(),
    };
    let protected = Synthetic {
        branch: "main".to_owned(),
        shared: true,
        gates,
        ..quiet.clone()
    };
    [quiet, protected]
}
