//! What should be recorded, said a second time and plainly: states that somebody saw, in the order they were seen, and
//! whose doing each difference is.

use super::repo::{Deed, Repo};
use super::step::{Actor, Edit, Listing};
use super::tree::{self, Node, Tree, differing};
use std::collections::BTreeMap;

/// Whose doing a change is, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pub origin: &'static str,
    pub session: Option<Actor>,
    pub actor: Option<Actor>,
    /// The turn of that session.
    pub turn: Option<usize>,
}

pub const OUTSIDE: Owner = Owner {
    origin: "outside",
    session: None,
    actor: None,
    turn: None,
};

/// One path's way from one state to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub owner: Owner,
    pub before: Option<Node>,
    pub after: Option<Node>,
}

/// A file that a call names: what was there before it and after it.
#[derive(Debug, Clone)]
pub struct Touch {
    call: usize,
    pub name: Vec<u8>,
    /// When, and what. A shell names its files afterwards.
    pub pre: Option<(usize, Option<Node>)>,
    /// When its end was told.
    pub ended: Option<usize>,
    /// What was there then; a call that was interrupted is looked after later.
    pub post: Option<Found>,
    pub owner: Owner,
}

/// What is at a path, if anything.
#[derive(Debug, Clone)]
pub struct Found(pub Option<Node>);

/// What a call that runs does.
#[derive(Debug, Clone)]
pub enum Doing {
    /// Writes one file; where that cannot be done, it fails.
    Tool {
        name: Vec<u8>,
        content: u8,
    },
    Shell {
        edits: Vec<Edit>,
        listing: Listing,
    },
}

/// A call that runs, or ran since the last scan.
#[derive(Debug, Clone)]
pub struct Call {
    pub id: usize,
    pub actor: Actor,
    pub doing: Doing,
    pub is_open: bool,
    /// Whether it could write, once it tried.
    pub wrote: Option<bool>,
    /// What a shell will say it changed.
    pub listed: Vec<Vec<u8>>,
    /// All of what it changed is listed.
    pub is_complete: bool,
    began: usize,
}

impl Call {
    pub fn roams(&self) -> bool {
        matches!(self.doing, Doing::Shell { .. })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Always,
    IfWritten,
    IfUnlisted,
    Never,
}

/// A checkpoint that was asked for.
#[derive(Debug, Clone)]
pub struct Order {
    pub kind: &'static str,
    pub actor: Option<Actor>,
    pub session: Option<Actor>,
    pub turn: Option<usize>,
    pub look: Look,
    pub event: usize,
}

/// What one checkpoint adds: one change per path.
pub type Rows = BTreeMap<Vec<u8>, Entry>;

/// A checkpoint as it should be.
#[derive(Debug, Clone)]
pub struct Point {
    pub kind: &'static str,
    pub session: Option<Actor>,
    pub actor: Option<Actor>,
    pub turn: Option<usize>,
    /// Nobody asked for it: a path changed hands there, or another turn's work began.
    pub is_between: bool,
    pub rows: Rows,
    /// All files, the ignored ones among them.
    pub files: Tree,
    pub head: usize,
    pub branch: usize,
    /// Of a rewind: the checkpoint before it, what it takes back, and whether it was undone.
    pub before: Option<usize>,
    pub undoes: Option<usize>,
    pub is_undone: bool,
}

#[derive(Debug, Clone)]
pub struct Model {
    pub repo: Repo,
    /// The newest checkpoint's files, the ignored ones among them.
    pub known: Tree,
    pub known_head: Option<usize>,
    /// The line.
    pub points: Vec<Point>,
    /// The newest checkpoint was made from a scan.
    pub is_scanned: bool,
    /// In the order the calls began.
    pub touches: Vec<Touch>,
    /// When each path was last seen.
    pub fresh: BTreeMap<Vec<u8>, usize>,
    /// How many events there were at the last scan.
    pub scanned: Option<usize>,
    pub calls: Vec<Call>,
    queue: Vec<Order>,
    pub events: usize,
    turns: BTreeMap<Actor, bool>,
    /// The events that turns began with.
    prompts: BTreeMap<Actor, Vec<usize>>,
    pub baselines: BTreeMap<Actor, bool>,
    /// Sessions whose prompt has not been looked at yet: their calls wait.
    pub awaited: BTreeMap<Actor, bool>,
    runs: bool,
}

impl Model {
    pub fn new() -> Self {
        Self {
            repo: Repo::new(),
            known: Tree::new(),
            known_head: None,
            points: Vec::new(),
            is_scanned: false,
            touches: Vec::new(),
            fresh: BTreeMap::new(),
            scanned: None,
            calls: Vec::new(),
            queue: Vec::new(),
            events: 0,
            turns: BTreeMap::new(),
            prompts: BTreeMap::new(),
            baselines: BTreeMap::new(),
            awaited: BTreeMap::new(),
            runs: false,
        }
    }

    pub fn is_in_turn(&self, session: Actor) -> bool {
        self.turns.get(&session) == Some(&true)
    }

    /// Whether a session was ever spoken to.
    pub fn is_spoken_to(&self, session: Actor) -> bool {
        self.prompts.contains_key(&session)
    }

    pub fn runs(&self) -> bool {
        self.runs
    }

    pub fn open_calls(&self, actor: Actor) -> Vec<Call> {
        let open = self
            .calls
            .iter()
            .filter(|call| call.is_open && call.actor == actor);
        open.cloned().collect()
    }

    /// The turn of a session that an event belongs to.
    fn turn_at(&self, session: Actor, event: usize) -> Option<usize> {
        let begun = self.prompts.get(&session)?;
        Some(begun.iter().filter(|prompt| **prompt <= event).count()).filter(|number| *number > 0)
    }

    pub fn prompt(&mut self, session: Actor) {
        self.events += 1;
        if self.is_in_turn(session) {
            self.order("interrupted", session, Look::Always);
        }
        self.prompts.entry(session).or_default().push(self.events);
        self.end_calls(session);
        // A baseline has all that the prompt found.
        if !self.baseline(session) {
            self.order("outside", session, Look::Always);
        }
        self.turns.insert(session, true);
        self.awaited.insert(session, true);
    }

    pub fn begin_agent(&mut self) {
        self.events += 1;
        self.baseline(Actor::Main);
        self.order("agent-start", Actor::Sub, Look::Never);
        self.runs = true;
    }

    pub fn stop(&mut self, actor: Actor) {
        self.events += 1;
        self.end_calls(actor);
        if actor == Actor::Sub {
            self.order("agent-stop", actor, Look::IfWritten);
            self.runs = false;
        } else {
            self.order("turn", actor, Look::IfWritten);
            self.turns.insert(actor, false);
        }
    }

    /// A call is about to run: the file it names is looked at first.
    pub fn begin(&mut self, actor: Actor, doing: Doing) -> usize {
        self.events += 1;
        self.baseline(actor.session());
        if let Doing::Tool { name: named, .. } = &doing {
            self.touches.push(Touch {
                call: self.events,
                name: named.clone(),
                pre: Some((self.events, self.repo.files.get(named).cloned())),
                ended: None,
                post: None,
                owner: self.by_tool(actor),
            });
        }
        self.calls.push(Call {
            id: self.events,
            actor,
            doing,
            is_open: true,
            wrote: None,
            listed: Vec::new(),
            is_complete: false,
            began: self.events,
        });
        self.events
    }

    /// What a call does to the files.
    pub fn run(&mut self, id: usize) -> Vec<Deed> {
        let Some(mut call) = self.calls.iter().find(|call| call.id == id).cloned() else {
            return Vec::new();
        };
        let old = self.repo.files.clone();
        let deeds: Vec<Deed> = match &call.doing {
            Doing::Tool { name, content, .. } => {
                self.repo.write_with_tool(name, *content).into_iter().collect()
            }
            Doing::Shell { edits, .. } => edits.iter().filter_map(|edit| self.repo.apply(edit)).collect(),
        };
        call.wrote = Some(call.roams() || !deeds.is_empty());
        if let Doing::Shell { listing, .. } = call.doing {
            let changed = differing(&old, &self.repo.files);
            let mut listed: Vec<Vec<u8>> = changed
                .iter()
                .filter(|name| self.can_be_listed(name))
                .cloned()
                .collect();
            match listing {
                Listing::Nothing => listed.clear(),
                Listing::All => {}
            }
            call.is_complete = listing == Listing::All && listed == changed;
            call.listed = listed;
        }
        self.put_call(call);
        deeds
    }

    /// A list is text, and no link leads elsewhere.
    fn can_be_listed(&self, name: &[u8]) -> bool {
        std::str::from_utf8(name).is_ok() && tree::followed(&self.repo.files, name).as_deref() == Some(name)
    }

    /// The end of a call was told: what it named is looked at.
    pub fn end(&mut self, id: usize) {
        self.events += 1;
        let Some(mut call) = self.calls.iter().find(|call| call.id == id).cloned() else {
            return;
        };
        call.is_open = false;
        // What it lists is looked for when it is told; what went made room for what came.
        let listed: Vec<Vec<u8>> = call
            .listed
            .iter()
            .filter_map(|name| self.resolved(name))
            .collect();
        let (came, went): (Vec<_>, Vec<_>) = listed
            .into_iter()
            .partition(|name| self.repo.files.contains_key(name));
        for name in went.into_iter().chain(came) {
            self.touches.push(Touch {
                call: id,
                name,
                pre: None,
                ended: None,
                post: None,
                owner: self.by_tool(call.actor),
            });
        }
        self.follow_links(&call);
        for touch in self.touches.iter_mut().filter(|touch| touch.call == id) {
            touch.ended = Some(self.events);
            touch.post = Some(Found(self.repo.files.get(&touch.name).cloned()));
        }
        self.put_call(call);
    }

    /// Where a link was put in the way of a tool, the end of its call names another file than its beginning.
    fn follow_links(&mut self, call: &Call) {
        let Doing::Tool { name, .. } = &call.doing else {
            return;
        };
        let other = self.resolved(name);
        if other.as_ref() != Some(name) {
            self.touches.retain(|touch| touch.call != call.id);
            let owner = self.by_tool(call.actor);
            self.touches.extend(other.map(|name| Touch {
                call: call.id,
                name,
                pre: None,
                ended: None,
                post: None,
                owner,
            }));
        }
    }

    /// The file that is meant by a name now. Of a link that leads nowhere only its own name is known, and so of what is
    /// below it.
    fn resolved(&self, name: &[u8]) -> Option<Vec<u8>> {
        let files = &self.repo.files;
        let is_dangling = files.iter().any(|(other, node)| {
            let is_on_the_way = other == name || tree::is_below(name, other);
            is_on_the_way && matches!(node, Node::Link(target) if !files.contains_key(target))
        });
        tree::followed(files, name).or_else(|| is_dangling.then(|| name.to_vec()))
    }

    /// All calls of a batch are over; those that are still open never ran.
    pub fn batch(&mut self, actor: Actor) {
        self.events += 1;
        for call in self.open_calls(actor) {
            self.calls.retain(|known| known.id != call.id);
            self.touches.retain(|touch| touch.call != call.id);
        }
        self.order("step", actor, Look::IfUnlisted);
    }

    fn put_call(&mut self, call: Call) {
        if let Some(known) = self.calls.iter_mut().find(|known| known.id == call.id) {
            *known = call;
        }
    }

    /// The actor was cut off: what its calls named they may have written.
    fn end_calls(&mut self, actor: Actor) {
        for call in self.open_calls(actor) {
            for touch in self.touches.iter_mut().filter(|touch| touch.call == call.id) {
                touch.ended = Some(self.events);
            }
        }
        for call in self.calls.iter_mut().filter(|call| call.actor == actor) {
            // What it would have listed nobody was told.
            call.is_complete &= !call.is_open;
            call.is_open = false;
        }
    }

    /// Whether the session's first checkpoint is asked for now.
    fn baseline(&mut self, session: Actor) -> bool {
        let is_waiting = self
            .queue
            .iter()
            .any(|order| order.kind == "baseline" && order.actor == Some(session));
        let begins = !is_waiting && self.baselines.get(&session) != Some(&true);
        if begins {
            self.order("baseline", session, Look::Always);
        }
        begins
    }

    /// Steps of one actor that wait become one.
    fn order(&mut self, kind: &'static str, actor: Actor, look: Look) {
        let event = self.events;
        let waiting =
            |order: &&mut Order| kind == "step" && order.kind == "step" && order.actor == Some(actor);
        let turn = self.turn_at(actor.session(), event);
        match self.queue.iter_mut().find(waiting) {
            Some(order) => (order.event, order.turn) = (event, turn),
            None => self.queue.push(Order {
                kind,
                actor: Some(actor),
                session: Some(actor.session()),
                turn,
                look,
                event,
            }),
        }
    }

    /// Who may have done what no payload named: whoever had a shell running since the last scan, and before an event.
    pub fn unnamed(&self, order: Option<&Order>, before: usize) -> Owner {
        // The calls of a session wait for the scan of its prompt; they have not run.
        let is_held = |call: &Call| {
            let session = call.actor.session();
            order.is_some_and(|order| {
                order.session == Some(session) && order.look == Look::Always && call.began > order.event
            }) && self.awaited.get(&session) == Some(&true)
        };
        let running: Vec<&Call> = self
            .calls
            .iter()
            .filter(|call| call.roams() && !is_held(call) && call.began < before)
            .collect();
        let last = running.last().map(|call| call.began);
        let running: Vec<Actor> = running.into_iter().map(|call| call.actor).collect();
        let (Some(first), Some(last)) = (running.first(), last) else {
            return OUTSIDE;
        };
        let is_one = running.iter().all(|actor| actor == first);
        let is_one_session = running.iter().all(|actor| actor.session() == first.session());
        Owner {
            origin: if is_one { "shell" } else { "shared" },
            session: is_one_session.then_some(first.session()),
            actor: is_one.then_some(*first),
            turn: self.turn_at(first.session(), last).filter(|_| is_one_session),
        }
    }

    /// Everything that was asked for is done.
    pub fn work(&mut self) {
        for order in std::mem::take(&mut self.queue) {
            self.cut(&order);
            if let (Look::Always, Some(session)) = (order.look, order.session) {
                self.awaited.insert(session, false);
            }
        }
    }

    /// `toprope checkpoint create`.
    pub fn create(&mut self) {
        self.cut(&Order {
            kind: "manual",
            actor: None,
            session: None,
            turn: None,
            look: Look::Always,
            event: self.events,
        });
    }

    fn by_tool(&self, actor: Actor) -> Owner {
        Owner {
            origin: "tool",
            session: Some(actor.session()),
            actor: Some(actor),
            turn: self.turn_at(actor.session(), self.events),
        }
    }
}
