//! A checkpoint as it should be: the state at the event that asked for it, however late it is cut.
//!
//! Files are seen in three ways: before a call that names them, after it, and by a scan of everything. What was seen
//! counts in the order in which it was seen; a sight from before another one that was followed is stale.

use super::plain::{Entry, Look, Model, OUTSIDE, Order, Owner, Point, Rows, Touch};
use super::step::Actor;
use super::tree::{Node, Tree, differing, excludes, is_ignored, without_ignored};
use std::collections::{BTreeMap, BTreeSet};

impl Model {
    pub fn cut(&mut self, order: &Order) {
        self.cut_with(order, &[]);
    }

    /// A checkpoint. `also` are changes that no call named: those of a rewind.
    pub fn cut_with(&mut self, order: &Order, also: &[(Vec<u8>, Option<Node>, Owner)]) {
        let is_moved = self.known_head != Some(self.repo.head());
        let looks = is_moved || self.wants_look(order);
        if self.known_head.is_none() {
            self.known = self.repo.commits[self.repo.head()].clone();
        }
        let mut cutting = Cutting::new(self.known.clone(), self.fresh.clone());
        let (due, later) = self.divided(order.event);
        for sight in self.sights(Some(order), order.event, &due, &later) {
            cutting.see_alone(&sight);
        }
        // What goes makes room for what comes.
        let (came, went): (Vec<_>, Vec<_>) = also.iter().partition(|(_, state, _)| state.is_some());
        for (name, state, owner) in went.into_iter().chain(came) {
            cutting.see_alone(&Sight {
                at: self.events,
                name: name.clone(),
                state: state.clone(),
                owner: *owner,
                around: self.suspect(Some(order), usize::MAX),
            });
        }
        if looks {
            // Whatever it sees is newer than all that was seen before.
            self.events += 1;
            self.look(order, &later, &mut cutting);
            self.calls.retain(|call| call.is_open);
            self.scanned = Some(self.events);
        }
        if let ("baseline", Some(session)) = (order.kind, order.actor) {
            self.baselines.insert(session, true);
        }
        self.fresh.clone_from(&cutting.fresh);
        let now = cutting.now.clone();
        let (between, rest) = cutting.end(order);
        for rows in between {
            self.add_between(order, rows);
        }
        let is_marker = matches!(
            order.kind,
            "baseline" | "agent-start" | "agent-stop" | "manual" | "before-rewind" | "rewind"
        );
        if !rest.is_empty() || is_marker || self.ends_changes(order) {
            self.known = now;
            self.known_head = Some(self.repo.head());
            self.is_scanned = looks;
            let branch = self.repo.on;
            self.add(order, rest, branch);
        }
    }

    fn add(&mut self, order: &Order, rows: Rows, branch: usize) {
        self.points.push(Point {
            kind: order.kind,
            session: order.session,
            actor: order.actor,
            turn: order.turn,
            is_between: false,
            rows,
            files: self.known.clone(),
            head: self.known_head.unwrap_or_default(),
            branch,
            before: None,
            undoes: None,
            is_undone: false,
        });
    }

    /// What happened before somebody else's turn came, on the commit that was checked out the last time anybody looked.
    fn add_between(&mut self, order: &Order, rows: Rows) {
        let worker = rows.values().find(|row| row.owner.session.is_some());
        let worker = worker.map(|row| row.owner);
        let order = Order {
            kind: if worker.is_some() { "step" } else { "outside" },
            session: worker.map_or(order.session, |owner| owner.session),
            actor: worker.and_then(|owner| owner.actor),
            turn: worker.map_or(order.turn, |owner| owner.turn),
            ..order.clone()
        };
        for (name, row) in &rows {
            // What git moved has no row, but a folder that it took away makes room for a file all the same.
            if row.after.is_some() {
                let is_ignored_too = |other: &[u8]| is_ignored(other) == is_ignored(name);
                self.known
                    .retain(|other, _| !excludes(other, name) || !is_ignored_too(other));
            }
            set_plainly(&mut self.known, name, row.after.clone());
        }
        self.known_head.get_or_insert(self.repo.head());
        self.is_scanned = false;
        let branch = self.points.last().map_or(self.repo.on, |point| point.branch);
        self.add(&order, rows, branch);
        self.points.last_mut().unwrap().is_between = true;
    }

    /// Whether it is the end of a turn that changed something since its last end.
    fn ends_changes(&self, order: &Order) -> bool {
        let is_end = |kind| matches!(kind, "turn" | "interrupted");
        let is_of_turn = |point: &&Point| point.session == order.session && point.turn == order.turn;
        let mut states: BTreeMap<&Vec<u8>, (&Option<Node>, &Option<Node>)> = BTreeMap::new();
        for point in self.points.iter().filter(is_of_turn) {
            if is_end(point.kind) {
                states.clear();
                continue;
            }
            for (name, row) in &point.rows {
                if row.owner.session == order.session {
                    states.entry(name).or_insert((&row.before, &row.after)).1 = &row.after;
                }
            }
        }
        is_end(order.kind) && states.values().any(|(before, after)| before != after)
    }

    /// What calls named that were over at an event; and the others, in the order they began.
    fn divided(&mut self, event: usize) -> (Vec<Touch>, Vec<Touch>) {
        let touches = std::mem::take(&mut self.touches);
        let is_due = |touch: &Touch| touch.ended.is_some_and(|ended| ended <= event);
        let (due, later): (Vec<Touch>, Vec<Touch>) = touches.into_iter().partition(is_due);
        self.touches.clone_from(&later);
        (due, later)
    }

    /// What was seen of files that calls named, in the order it was seen.
    pub fn sights(&self, order: Option<&Order>, event: usize, due: &[Touch], later: &[Touch]) -> Vec<Sight> {
        let mut sights = Vec::new();
        let sight = |touch: &Touch, at: usize, state: Option<Node>, owner: Option<Owner>| {
            let around = self.suspect(order, touch.pre.as_ref().map_or(at, |(at, _)| *at));
            Sight {
                at,
                name: touch.name.clone(),
                state,
                owner: owner.unwrap_or(around),
                around,
            }
        };
        for touch in due.iter().chain(later) {
            if let Some((at, state)) = touch.pre.clone().filter(|(at, _)| *at <= event) {
                sights.push(sight(touch, at, state, None));
            }
        }
        for touch in due {
            let ended = touch.ended.unwrap_or(event);
            // Of a call that was cut off nobody looked at the end: the next one to look sees it.
            let next = due.iter().chain(later).filter(|other| other.name == touch.name);
            let next = next
                .filter_map(|other| other.pre.clone())
                .filter(|(at, _)| *at > ended);
            let next = next.min_by_key(|(at, _)| *at);
            let post = touch.post.clone().map_or_else(
                || next.map_or_else(|| self.repo.files.get(&touch.name).cloned(), |(_, state)| state),
                |found| found.0,
            );
            sights.push(sight(touch, ended, post, Some(touch.owner)));
        }
        sights.sort_by_key(|sight| (sight.at, sight.state.is_some()));
        sights
    }

    /// Nobody is suspected before the first checkpoint.
    fn suspect(&self, order: Option<&Order>, before: usize) -> Owner {
        match self.known_head {
            Some(_) => self.unnamed(order, before),
            None => OUTSIDE,
        }
    }

    /// Everything is looked at; what later calls wrote is left to them.
    fn look(&self, order: &Order, later: &[Touch], cutting: &mut Cutting) {
        let owner = self.suspect(Some(order), usize::MAX);
        let commit = |head: usize| &self.repo.commits[head];
        let (old, new) = (self.known_head.map(commit), commit(self.repo.head()));
        let mut files = self.repo.files.clone();
        let mut left: BTreeMap<&Vec<u8>, Vec<&Touch>> = BTreeMap::new();
        let seen = without_ignored(&self.repo.files);
        for touch in later {
            // Unless something is there that cannot be at the same time.
            if !seen.keys().any(|other| excludes(other, &touch.name)) {
                left.entry(&touch.name).or_default().push(touch);
            }
        }
        let mut found = Vec::new();
        for (name, touches) in &left {
            // What a call found that began before is known already, and what it wrote is its own.
            set_plainly(&mut files, name, cutting.now.get(*name).cloned());
            let pres = touches.iter().take(1).filter_map(|touch| touch.pre.clone());
            let pres = pres.filter(|(at, _)| *at > order.event && !is_ignored(name));
            let states: Vec<_> = pres
                .map(|(at, state)| (state, self.suspect(Some(order), at), at))
                .collect();
            found.push(((*name).clone(), states));
        }
        for name in differing(&cutting.now, &files) {
            if !is_ignored(&name) && !left.contains_key(&name) {
                found.push((
                    name.clone(),
                    vec![(files.get(&name).cloned(), owner, self.events)],
                ));
            }
        }
        // What went made room for what came.
        found.sort_by_key(|(name, states)| {
            let comes = states.last().is_some_and(|(state, ..)| state.is_some());
            (comes, name.clone())
        });
        // What somebody was seen to change since is not git's, whatever it comes to.
        let followed = cutting.names();
        for (name, states) in found {
            for (state, owner, at) in states {
                let before = cutting.now.get(&name);
                let old = old.filter(|_| !followed.contains(&name));
                if old.is_some_and(|old| is_gits(&name, before, state.as_ref(), old, new)) {
                    set_plainly(&mut cutting.now, &name, state);
                } else {
                    cutting.see(&name, state, owner, at);
                }
            }
        }
    }

    fn wants_look(&self, order: &Order) -> bool {
        let roaming = || self.calls.iter().filter(|call| call.roams());
        match order.look {
            // Another look since has found what there was to find.
            Look::Always if matches!(order.kind, "outside" | "interrupted") => {
                self.scanned.is_none_or(|scanned| scanned < order.event)
            }
            Look::Always => true,
            Look::Never => false,
            Look::IfWritten => roaming().next().is_some(),
            Look::IfUnlisted => roaming().any(|call| call.is_open || !call.is_complete),
        }
    }
}

/// What git moved is no change.
fn is_gits(name: &[u8], before: Option<&Node>, after: Option<&Node>, old: &Tree, new: &Tree) -> bool {
    old != new && before == old.get(name) && after == new.get(name)
}

/// One file as somebody saw it.
pub struct Sight {
    at: usize,
    name: Vec<u8>,
    state: Option<Node>,
    owner: Owner,
    around: Owner,
}

/// One cut on its way: the state of every path so far, when it was seen, and what became of it.
pub struct Cutting {
    now: Tree,
    fresh: BTreeMap<Vec<u8>, usize>,
    closed: Vec<Rows>,
    open: Rows,
    /// Whose turn the open rows are.
    bill: Option<(Actor, Option<usize>)>,
}

impl Cutting {
    pub fn new(now: Tree, fresh: BTreeMap<Vec<u8>, usize>) -> Self {
        Self {
            now,
            fresh,
            closed: Vec::new(),
            open: Rows::new(),
            bill: None,
        }
    }

    /// One file was seen, and nothing else: what cannot be there at the same time is gone.
    pub fn see_alone(&mut self, sight: &Sight) {
        if self.fresh.get(&sight.name).is_some_and(|fresh| *fresh > sight.at) {
            return;
        }
        if sight.state.is_some() {
            let is_gone = |other: &&Vec<u8>| {
                excludes(other, &sight.name) && is_ignored(other) == is_ignored(&sight.name)
            };
            for other in self.now.keys().filter(is_gone).cloned().collect::<Vec<_>>() {
                self.see(&other, None, sight.around, sight.at);
            }
        }
        self.see(&sight.name, sight.state.clone(), sight.owner, sight.at);
    }

    /// One checkpoint has one state per path, and the work of one turn: where a path changes hands or another turn's
    /// work begins, there is one in between.
    fn see(&mut self, name: &[u8], after: Option<Node>, owner: Owner, at: usize) {
        self.fresh.insert(name.to_vec(), at);
        let before = self.now.get(name).cloned();
        if before == after {
            return;
        }
        set_plainly(&mut self.now, name, after.clone());
        if let (Some(session), true) = (owner.session, owner.origin != "rewind") {
            let bill = (session, owner.turn);
            if self.bill.is_some_and(|open| open != bill) {
                self.close();
            }
            self.bill = Some(bill);
        }
        match self.open.get_mut(name) {
            Some(row) if row.owner == owner => {
                row.after = after;
                if row.before == row.after {
                    self.open.remove(name);
                }
                return;
            }
            Some(_) => self.close(),
            None => {}
        }
        self.open.insert(name.to_vec(), Entry { owner, before, after });
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.closed.push(std::mem::take(&mut self.open));
        }
    }

    /// What comes in between, and what is left for the checkpoint that was asked for.
    fn end(mut self, order: &Order) -> (Vec<Rows>, Rows) {
        let own = order.session.map(|session| (session, order.turn));
        // An agent begins with nothing done.
        if self.bill.is_some_and(|bill| Some(bill) != own) || order.kind == "agent-start" {
            self.close();
        }
        (self.closed, self.open)
    }

    fn names(&self) -> BTreeSet<Vec<u8>> {
        let rows = self.closed.iter().chain([&self.open]);
        rows.flat_map(|rows| rows.keys().cloned()).collect()
    }

    /// All of it, path by path.
    pub fn passages(self) -> Vec<(Vec<u8>, Entry)> {
        self.closed.into_iter().chain([self.open]).flatten().collect()
    }
}

fn set_plainly(tree: &mut Tree, name: &[u8], state: Option<Node>) {
    match state {
        Some(node) => drop(tree.insert(name.to_vec(), node)),
        None => drop(tree.remove(name)),
    }
}
