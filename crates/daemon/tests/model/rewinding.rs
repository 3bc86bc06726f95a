//! What a rewind or an undo should do, said a second time: whose changes go, whose stay, and what is in the way.

use super::cutting::Cutting;
use super::plain::{Entry, Look, Model, OUTSIDE, Order, Owner};
use super::step::{Actor, Conflicts};
use super::tree::{Node, Tree, is_below, is_ignored};
use std::collections::BTreeMap;

/// What is to be put back.
#[derive(Debug, Clone)]
pub struct Want {
    /// The checkpoint, by its place on the line.
    pub target: usize,
    pub whose: Whose,
    pub only: Option<Vec<u8>>,
    pub conflicts: Conflicts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Session(Actor),
    Agent(Actor),
    /// What a rewind did, by its place on the line.
    Operation(usize),
}

/// One file that is put back: what it is now, and what it becomes.
pub type Change = (Vec<u8>, Option<Node>, Option<Node>);

/// One recorded change; where, unless no checkpoint has it yet.
#[derive(Debug, Clone)]
struct Deed {
    entry: Entry,
    point: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Scope,
    Other,
    /// Several at once, some of them perhaps not meant.
    Shared {
        beyond: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Leave,
    Put(Option<Node>),
    Conflict,
}

/// One path, with all that is known of it.
struct Case<'a> {
    target: Option<&'a Node>,
    now: Option<&'a Node>,
    deeds: Vec<(By, Entry)>,
}

impl Want {
    fn is_operation(&self, deed: &Deed) -> bool {
        matches!(self.whose, Whose::Operation(at) if deed.point == Some(at))
    }

    fn by(&self, deed: &Deed) -> By {
        let Owner {
            origin,
            session,
            actor,
            ..
        } = deed.entry.owner;
        let is_own = match self.whose {
            Whose::Operation(_) => self.is_operation(deed),
            Whose::Session(own) if origin == "shared" && session.is_none_or(|one| one == own) => {
                return By::Shared {
                    beyond: session.is_none(),
                };
            }
            Whose::Agent(own) if origin == "shared" && session.is_none_or(|one| one == own.session()) => {
                return By::Shared { beyond: true };
            }
            Whose::Session(own) => session == Some(own),
            Whose::Agent(own) => actor == Some(own),
        };
        if is_own && origin != "shared" || self.is_operation(deed) {
            By::Scope
        } else {
            By::Other
        }
    }

    /// Who answers for the checkpoints around it.
    fn owner(&self, model: &Model) -> (Option<Actor>, Option<Actor>) {
        match self.whose {
            Whose::Session(session) => (Some(session), None),
            Whose::Agent(actor) => (Some(actor.session()), Some(actor)),
            Whose::Operation(at) => (model.points[at].session, model.points[at].actor),
        }
    }

    /// A rewind and its undo cancel each other, and so do changes and the rewind that took them back; but not what is
    /// to be undone now.
    fn standing(&self, deeds: &[Deed]) -> Vec<Deed> {
        let is_rewind = |deed: &Deed| deed.entry.owner.origin == "rewind" && !self.is_operation(deed);
        let mut pairs: Vec<Deed> = Vec::new();
        for deed in deeds {
            let is_undone = |last: &Deed| {
                is_rewind(last)
                    && last.entry.before == deed.entry.after
                    && last.entry.after == deed.entry.before
            };
            if is_rewind(deed) && pairs.last().is_some_and(is_undone) {
                pairs.pop();
            } else {
                pairs.push(deed.clone());
            }
        }
        let mut standing: Vec<Deed> = Vec::new();
        for deed in pairs {
            let mut state = deed.entry.before.clone();
            let mut taken = None;
            for (index, earlier) in standing.iter().enumerate().rev() {
                if !is_rewind(&deed) || earlier.entry.after != state || self.is_operation(earlier) {
                    break;
                }
                if earlier.entry.before == deed.entry.after {
                    taken = Some(index);
                    break;
                }
                state.clone_from(&earlier.entry.before);
            }
            match taken {
                Some(index) => standing.truncate(index),
                None => standing.push(deed),
            }
        }
        standing
    }
}

impl Case<'_> {
    fn first(&self) -> Option<usize> {
        self.deeds.iter().position(|(by, _)| *by != By::Other)
    }

    /// Never back over what others did before the scope began.
    fn goal(&self) -> Option<&Node> {
        match self.first() {
            Some(first) if first > 0 => self.deeds[first].1.before.as_ref(),
            _ => self.target,
        }
    }

    fn verdict(&self, is_blocked: bool) -> Verdict {
        let Some(first) = self.first() else {
            return Verdict::Leave;
        };
        if self.now == self.target || self.now == self.goal() {
            return Verdict::Leave;
        }
        let is_foreign = |by: By| matches!(by, By::Other | By::Shared { beyond: true });
        let is_edited = self
            .deeds
            .last()
            .is_some_and(|(_, last)| last.after.as_ref() != self.now);
        let is_mixed = self.deeds[first..].iter().any(|(by, _)| is_foreign(*by));
        if is_blocked || is_edited || is_mixed || self.is_moved() {
            return Verdict::Conflict;
        }
        self.done(first)
    }

    fn forced(&self, is_blocked: bool) -> Verdict {
        match (self.verdict(is_blocked), self.first()) {
            (Verdict::Conflict, Some(first)) if !is_blocked => self.done(first),
            (verdict, _) => verdict,
        }
    }

    /// A file goes only if those who are meant made it.
    fn done(&self, first: usize) -> Verdict {
        let (by, entry) = &self.deeds[first];
        let is_made = entry.before.is_none() && *by != By::Shared { beyond: true };
        match self.goal() {
            Some(node) => Verdict::Put(Some(node.clone())),
            None if is_made => Verdict::Put(None),
            None => Verdict::Leave,
        }
    }

    /// The file changed where nobody changed it: git did.
    fn is_moved(&self) -> bool {
        let mut at = self.target;
        let mut is_known = self.target.is_some();
        for (_, entry) in &self.deeds {
            if is_known && at != entry.before.as_ref() {
                return true;
            }
            (at, is_known) = (entry.after.as_ref(), true);
        }
        false
    }
}

/// What makes a path impossible to write: a file or a link above it, or a folder in its place.
enum Obstacle {
    Above(Vec<u8>),
    Folder(Vec<Vec<u8>>),
}

fn obstacle(files: &Tree, name: &[u8]) -> Option<Obstacle> {
    if let Some(above) = files.keys().find(|other| is_below(name, other)) {
        return Some(Obstacle::Above(above.clone()));
    }
    let below: Vec<Vec<u8>> = files
        .keys()
        .filter(|other| is_below(other, name))
        .cloned()
        .collect();
    (!below.is_empty()).then_some(Obstacle::Folder(below))
}

impl Model {
    /// What is to be done; nothing where something stands against it.
    pub fn plan(&self, want: &Want) -> Vec<Change> {
        let is_wanted = |name: &Vec<u8>| {
            want.only
                .as_ref()
                .is_none_or(|only| name == only || is_below(name, only))
        };
        let target = &self.points[want.target];
        let files = &self.repo.files;
        let mut cases = BTreeMap::new();
        for (name, deeds) in self.deeds(want.target) {
            let is_meant = match want.whose {
                Whose::Operation(_) => deeds.iter().any(|deed| want.is_operation(deed)),
                Whose::Session(_) | Whose::Agent(_) => true,
            };
            if is_meant && is_wanted(&name) {
                let deeds = want.standing(&deeds);
                let deeds = deeds.into_iter().map(|deed| (want.by(&deed), deed.entry));
                let case = Case {
                    target: target.files.get(&name),
                    now: files.get(&name),
                    deeds: deeds.collect(),
                };
                cases.insert(name, case);
            }
        }
        let judged = |case: &Case<'_>, is_blocked: bool, forced: bool| {
            if forced {
                case.forced(is_blocked)
            } else {
                case.verdict(is_blocked)
            }
        };
        let forces = want.conflicts == Conflicts::Force;
        // What stands in the way may go by the same plan.
        let goes = |name: &Vec<u8>| {
            obstacle(files, name).is_none()
                && cases
                    .get(name)
                    .is_some_and(|case| judged(case, false, forces) == Verdict::Put(None))
        };
        let mut changes = Vec::new();
        // What is left out and not there is not taken from where it is.
        let mut missing: Vec<Node> = Vec::new();
        for (name, case) in &cases {
            let is_blocked = match obstacle(files, name) {
                None => false,
                Some(Obstacle::Above(above)) => !goes(&above),
                Some(Obstacle::Folder(below)) => !below.iter().all(goes),
            };
            match judged(case, is_blocked, forces) {
                Verdict::Leave => {}
                Verdict::Put(to) => changes.push((name.clone(), case.now.cloned(), to)),
                Verdict::Conflict if want.conflicts == Conflicts::Skip => {
                    missing.extend(case.goal().filter(|_| case.now.is_none()).cloned());
                }
                Verdict::Conflict => return Vec::new(),
            }
        }
        let bytes = |node: &Node| match node {
            Node::File { bytes, .. } | Node::Link(bytes) => bytes.clone(),
        };
        changes.retain(|(_, now, to): &Change| {
            let is_copy = |now: &Node| missing.iter().any(|node| bytes(node) == bytes(now));
            to.is_some() || !now.as_ref().is_some_and(is_copy)
        });
        if !self.repo.goes_on_from(target.head) && !forces {
            return Vec::new();
        }
        changes
    }

    /// Every change after a checkpoint, those among them that no checkpoint has yet.
    fn deeds(&self, target: usize) -> BTreeMap<Vec<u8>, Vec<Deed>> {
        let mut deeds: BTreeMap<Vec<u8>, Vec<Deed>> = BTreeMap::new();
        for (at, point) in self.points.iter().enumerate().skip(target + 1) {
            for (name, entry) in &point.rows {
                deeds.entry(name.clone()).or_default().push(Deed {
                    entry: entry.clone(),
                    point: Some(at),
                });
            }
        }
        let (due, later): (Vec<_>, Vec<_>) = self
            .touches
            .iter()
            .cloned()
            .partition(|touch| touch.ended.is_some());
        let mut uncut = Cutting::new(self.known.clone(), self.fresh.clone());
        for sight in self.sights(None, usize::MAX, &due, &later) {
            uncut.see_alone(&sight);
        }
        for (name, entry) in uncut.passages() {
            deeds.entry(name).or_default().push(Deed { entry, point: None });
        }
        deeds
    }

    /// The checkpoint before it.
    pub fn before_rewind(&mut self, want: &Want, changes: &[Change]) {
        self.events += 1;
        // No look takes in what git ignores, or what a call writes that still runs: these are looked at by name.
        let mut unlooked = Vec::new();
        for (name, now, _) in changes {
            let running = self.touches.iter().filter(|touch| touch.ended.is_none());
            let running = running.rev().find(|touch| touch.name == *name);
            let owner = running
                .map(|touch| touch.owner)
                .or(is_ignored(name).then_some(OUTSIDE));
            unlooked.extend(owner.map(|owner| (name.clone(), now.clone(), owner)));
        }
        self.cut_with(&self.around(want, "before-rewind", Look::Always), &unlooked);
    }

    /// The files, and the checkpoint after it.
    pub fn rewind(&mut self, want: &Want, changes: &[Change]) {
        let before = self.points.len() - 1;
        for (name, _, to) in changes {
            if to.is_none() {
                self.repo.files.remove(name);
            }
        }
        for (name, _, to) in changes {
            if let Some(node) = to {
                self.repo.files.insert(name.clone(), node.clone());
            }
        }
        self.events += 1;
        let order = self.around(want, "rewind", Look::Never);
        let owner = Owner {
            origin: "rewind",
            session: order.session,
            actor: order.actor,
            turn: None,
        };
        let also = changes
            .iter()
            .map(|(name, _, to)| (name.clone(), to.clone(), owner));
        self.cut_with(&order, &also.collect::<Vec<_>>());
        self.points.last_mut().unwrap().before = Some(before);
        if let Whose::Operation(at) = want.whose {
            self.points[at].is_undone = true;
            self.points.last_mut().unwrap().undoes = Some(at);
        }
    }

    fn around(&self, want: &Want, kind: &'static str, look: Look) -> Order {
        let (session, actor) = want.owner(self);
        Order {
            kind,
            session,
            actor,
            turn: None,
            look,
            event: self.events,
        }
    }

    /// What was done first, and whether it is undone, of the rewind, undo or redo at a place on the line.
    fn act(&self, mut at: usize) -> (usize, bool) {
        let mut is_undone = false;
        while let Some(earlier) = self.points[at].undoes {
            (at, is_undone) = (earlier, !is_undone);
        }
        (at, is_undone)
    }

    /// The last things done of each operation, with the first and whether it is undone.
    fn ends(&self) -> Vec<(usize, (usize, bool))> {
        let points = self.points.iter().enumerate();
        let ends = points.filter(|(_, point)| point.kind == "rewind" && !point.is_undone);
        ends.map(|(at, _)| (at, self.act(at))).collect()
    }

    fn taking(&self, at: usize, conflicts: Conflicts) -> Option<Want> {
        Some(Want {
            target: self.points[at].before?,
            whose: Whose::Operation(at),
            only: None,
            conflicts,
        })
    }

    /// What `toprope undo` takes back: the newest rewind that is not undone.
    pub fn undoable(&self, conflicts: Conflicts) -> Option<Want> {
        let done = self.ends().into_iter().filter(|(_, (_, is_undone))| !is_undone);
        let (at, _) = done.max_by_key(|(_, (act, _))| *act)?;
        self.taking(at, conflicts)
    }
}
