//! Commands in which nothing was found when it was asked what to know about them: they are not judged again for the decision.
//!
//! Nothing is decided by it: what is taken is exactly what judging again would say. Most commands are of that kind.

use super::facts::GuardFacts;
use super::judged::Judged;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Commands that wait for their decision; a daemon decides a few at a time.
const MOST_KEPT: usize = 16;
/// A command beyond this, with the scripts it runs, is rather judged twice than kept.
const LONGEST: usize = 65_536;

/// Clear commands under one set of rules, the newest last.
#[derive(Debug, Default)]
pub(super) struct Aside(Mutex<VecDeque<Clear>>);

#[derive(Debug)]
struct Clear {
    facts: GuardFacts,
    judged: Judged,
}

impl Aside {
    /// Lays a judgement aside, if nothing was found and nothing more is to be known.
    pub(super) fn lay(&self, facts: &GuardFacts, judged: &Judged) {
        let is_clear = judged.findings.is_empty() && judged.rewrites.is_empty() && judged.asked.is_empty();
        let known: usize = facts.scripts.values().flatten().map(String::len).sum();
        let is_small = judged.command.len().saturating_add(known) <= LONGEST;
        if !is_clear || !is_small || judged.approval.is_some() {
            return;
        }
        let mut laid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if laid.len() >= MOST_KEPT {
            laid.pop_front();
        }
        laid.push_back(Clear {
            facts: facts.clone(),
            judged: judged.clone(),
        });
    }

    /// Takes what was judged of exactly this command in exactly this world.
    pub(super) fn take(&self, command: &str, facts: &GuardFacts) -> Option<Judged> {
        // An approval is spent, whatever the command turns out to be.
        if facts.approval.is_some() {
            return None;
        }
        let mut laid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = laid
            .iter()
            .rposition(|one| one.judged.command == command && is_same_world(&one.facts, facts))?;
        let mut judged = laid.remove(at)?.judged;
        judged.request.clone_from(&facts.request);
        Some(judged)
    }
}

/// Whether two differ at most in what only matters to a finding: strikes, denials, a request's id, and whether a rewrite
/// would be possible.
fn is_same_world(one: &GuardFacts, two: &GuardFacts) -> bool {
    let GuardFacts {
        cwd,
        home,
        user,
        tmpdir,
        client_scratch,
        attended,
        own,
        paths,
        repositories,
        aliases,
        scripts,
        programs,
        texts,
        versions,
        matches,
        losses,
        strikes: _,
        advised: _,
        shared,
        denials: _,
        request: _,
        approval,
        gates,
        no_rewrite: _,
        skill,
        phase,
        agent_type,
    } = one;
    (*attended, *shared) == (two.attended, two.shared)
        && (losses, versions, matches) == (&two.losses, &two.versions, &two.matches)
        && (cwd, home, user, tmpdir, client_scratch)
            == (&two.cwd, &two.home, &two.user, &two.tmpdir, &two.client_scratch)
        && (own, approval, gates) == (&two.own, &two.approval, &two.gates)
        && (paths, repositories, aliases) == (&two.paths, &two.repositories, &two.aliases)
        && (scripts, programs, texts) == (&two.scripts, &two.programs, &two.texts)
        && (skill, phase, agent_type) == (&two.skill, &two.phase, &two.agent_type)
}

#[cfg(test)]
mod tests;
