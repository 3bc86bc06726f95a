//! The model: who holds what and who is in line, in plain lists.

use super::{ACTORS, path};
use std::collections::BTreeMap;

const IDLE: i64 = 600_000;
const MOST: i64 = 14_400_000;
const OFFER: i64 = 120_000;
const WAIT: i64 = 1_800_000;
const LABELS: [&str; ACTORS] = ["main@1111", "x@a111", "x@a222", "main@2222"];

/// The main thread of an actor's session.
pub(super) fn main_of(who: usize) -> usize {
    if who == 3 { 3 } else { 0 }
}

#[derive(Clone)]
struct Held {
    who: usize,
    writes: usize,
    call: Option<usize>,
    /// Which taking of the file this is.
    number: usize,
}

#[derive(Clone, Copy)]
struct Waiting {
    who: usize,
    since: i64,
    offered_until: Option<i64>,
}

/// A lease that ended because its holder was cut off.
struct Lost {
    file: usize,
    held: Held,
    at: i64,
}

/// How a lease ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    CutOff,
    ForGood,
}

pub(super) struct Plain {
    /// By the boot clock.
    pub now: i64,
    live: [bool; ACTORS],
    last: [i64; ACTORS],
    calls: [Vec<usize>; ACTORS],
    held: BTreeMap<usize, Held>,
    line: BTreeMap<usize, Vec<Waiting>>,
    lost: Vec<Lost>,
    taken: BTreeMap<usize, usize>,
}

impl Plain {
    pub fn new(now: i64) -> Self {
        Self {
            now,
            live: [true; ACTORS],
            // Each sent two events, a millisecond apart.
            last: [now - 6, now - 4, now - 2, now],
            calls: Default::default(),
            held: BTreeMap::new(),
            line: BTreeMap::new(),
            lost: Vec::new(),
            taken: BTreeMap::new(),
        }
    }

    pub fn held(&self) -> Vec<String> {
        let shown =
            |(file, held): (&usize, &Held)| format!("{} {} {}", path(*file), LABELS[held.who], held.writes);
        self.held.iter().map(shown).collect()
    }

    pub fn line(&self) -> Vec<String> {
        let mut shown = Vec::new();
        for (file, line) in &self.line {
            for one in line {
                let state = if one.offered_until.is_some() {
                    "offered"
                } else {
                    "waiting"
                };
                shown.push(format!("{} {} {state}", path(*file), LABELS[one.who]));
            }
        }
        shown
    }

    pub fn newest_call(&self, who: usize) -> Option<usize> {
        self.calls[who].last().copied()
    }

    /// An event of an actor: it is there again, with what nobody took while it was away.
    fn event(&mut self, who: usize) {
        self.now += 1;
        let (previous, was_live) = (self.last[who], self.live[who]);
        self.last[who] = self.now;
        self.live[who] = true;
        if was_live && self.now - previous < 60_000 {
            return;
        }
        for lost in std::mem::take(&mut self.lost).into_iter().rev() {
            if lost.held.who != who {
                self.lost.insert(0, lost);
            } else if lost.at >= previous
                && self.is_free_for(who, lost.file)
                && self.taken[&lost.file] == lost.held.number
            {
                self.leave(who, lost.file);
                let held = Held {
                    call: None,
                    ..lost.held
                };
                self.held.insert(lost.file, held);
            }
        }
    }

    fn is_free_for(&self, who: usize, file: usize) -> bool {
        let promised = self.line.get(&file).into_iter().flatten();
        self.held.get(&file).is_none_or(|held| held.who == who)
            && promised
                .filter(|one| one.offered_until.is_some())
                .all(|one| one.who == who)
    }

    pub fn open(&mut self, who: usize, id: usize) {
        self.event(who);
        self.calls[who].push(id);
    }

    /// Whether the actor got the file; if not, it is in line and its call is over.
    pub fn edit(&mut self, who: usize, file: usize, id: usize) -> bool {
        if !self.is_free_for(who, file) {
            let (since, line) = (self.now, self.line.entry(file).or_default());
            if line.iter().all(|one| one.who != who) {
                line.push(Waiting {
                    who,
                    since,
                    offered_until: None,
                });
            }
            self.close(who, id, false);
            return false;
        }
        if let Some(held) = self.held.get_mut(&file) {
            held.call = Some(id);
            return true;
        }
        let number = self.taken.entry(file).or_default();
        *number += 1;
        let held = Held {
            who,
            writes: 0,
            call: Some(id),
            number: *number,
        };
        self.held.insert(file, held);
        self.leave(who, file);
        true
    }

    pub fn close(&mut self, who: usize, id: usize, wrote: bool) {
        self.event(who);
        self.calls[who].retain(|call| *call != id);
        self.close_call(id, wrote, End::ForGood);
    }

    fn close_call(&mut self, id: usize, wrote: bool, end: End) {
        let files: Vec<usize> = self
            .held
            .iter()
            .filter(|(_, held)| held.call == Some(id))
            .map(|(file, _)| *file)
            .collect();
        for file in files {
            let held = self.held.get_mut(&file).unwrap();
            held.call = None;
            held.writes += usize::from(wrote);
            if held.writes == 0 {
                self.end(file, end);
            }
        }
    }

    fn close_calls(&mut self, who: usize, end: End) {
        for id in std::mem::take(&mut self.calls[who]) {
            self.close_call(id, false, end);
        }
    }

    pub fn prompt(&mut self, main: usize) {
        self.event(main);
        self.close_calls(main, End::ForGood);
    }

    pub fn stop(&mut self, main: usize) {
        self.event(main);
        self.close_calls(main, End::ForGood);
        self.let_go(main, End::ForGood);
    }

    pub fn agent_stop(&mut self, who: usize) {
        self.event(who);
        self.close_calls(who, End::ForGood);
        self.over(who, End::ForGood, End::ForGood);
    }

    pub fn end_session(&mut self, main: usize, keeps_agents: bool) {
        self.event(main);
        self.close_calls(main, End::ForGood);
        for who in 0..ACTORS {
            if self.live[who] && main_of(who) == main && (who == main || !keeps_agents) {
                self.over(who, End::ForGood, End::ForGood);
            }
        }
    }

    pub fn lose(&mut self, main: usize) {
        for who in 0..ACTORS {
            if self.live[who] && main_of(who) == main {
                self.over(who, End::CutOff, End::CutOff);
            }
        }
    }

    fn over(&mut self, who: usize, calls: End, leases: End) {
        self.live[who] = false;
        self.close_calls(who, calls);
        self.let_go(who, leases);
    }

    /// Neither waits nor holds any more.
    fn let_go(&mut self, who: usize, end: End) {
        let files: Vec<usize> = self.line.keys().copied().collect();
        for file in files {
            if self.leave(who, file) {
                self.next(file);
            }
        }
        let files: Vec<usize> = self
            .held
            .iter()
            .filter(|(_, held)| held.who == who)
            .map(|(file, _)| *file)
            .collect();
        for file in files {
            self.end(file, end);
        }
    }

    pub fn release(&mut self, file: usize) {
        if self.held.contains_key(&file) {
            self.end(file, End::ForGood);
        }
    }

    fn end(&mut self, file: usize, end: End) {
        let held = self.held.remove(&file).unwrap();
        if end == End::CutOff {
            let at = self.now;
            self.lost.push(Lost { file, held, at });
        }
        self.next(file);
    }

    pub fn settle(&mut self, file: usize) {
        if let Some(held) = self.held.get(&file) {
            let silent = self.now - self.last[held.who];
            if silent >= MOST {
                self.end(file, End::ForGood);
            } else if silent >= IDLE && self.calls[held.who].is_empty() {
                self.end(file, End::CutOff);
            }
        }
        let now = self.now;
        let Some(line) = self.line.get_mut(&file) else {
            return;
        };
        let waiting = line.len();
        line.retain(|one| one.offered_until.is_none_or(|until| now < until));
        if line.len() < waiting {
            self.next(file);
        }
        let line = self.line.get_mut(&file).unwrap();
        line.retain(|one| one.offered_until.is_some() || now - one.since < WAIT);
    }

    /// Promises a free file to whoever came first.
    fn next(&mut self, file: usize) {
        let (now, live) = (self.now, self.live);
        let Some(line) = self.line.get_mut(&file) else {
            return;
        };
        if self.held.contains_key(&file) || line.iter().any(|one| one.offered_until.is_some()) {
            return;
        }
        while line.first().is_some_and(|one| now - one.since >= WAIT) {
            line.remove(0);
        }
        if let Some(first) = line.iter_mut().find(|one| live[one.who]) {
            first.offered_until = Some(now + OFFER);
        }
    }

    /// Whether the actor was promised the file when it left the line.
    fn leave(&mut self, who: usize, file: usize) -> bool {
        let Some(line) = self.line.get_mut(&file) else {
            return false;
        };
        let promised = line
            .iter()
            .any(|one| one.who == who && one.offered_until.is_some());
        line.retain(|one| one.who != who);
        promised
    }
}
