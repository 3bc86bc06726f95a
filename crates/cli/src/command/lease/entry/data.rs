//! Leases as `--json` prints them.

use super::LeaseEntries;
use crate::moment::rfc3339;
use engine::id::{ActorId, AgentId};
use serde::Serialize;
use store::table::leases::Lease;
use store::table::tickets::Ticket;

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub struct Data<'a> {
    leases: Vec<LeaseData<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    promises: Vec<PromiseData<'a>>,
}

#[derive(Debug, Serialize)]
struct LeaseData<'a> {
    id: i64,
    kind: &'static str,
    worktree: String,
    path: &'a str,
    pattern: Option<&'a str>,
    actor: Option<ActorData<'a>>,
    lent_to: Option<ActorData<'a>>,
    taken_at: String,
    touched_at: String,
    writes: u64,
    open_call: bool,
    expires_at: Option<String>,
    reason: Option<&'a str>,
    waiting: Vec<WaiterData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_reason: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct ActorData<'a> {
    label: &'a str,
    agent_kind: &'a str,
    session_id: &'a str,
    agent_id: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct WaiterData<'a> {
    label: &'a str,
    since: String,
    denials: u64,
    state: &'static str,
}

#[derive(Debug, Serialize)]
struct PromiseData<'a> {
    worktree: String,
    path: &'a str,
    actor: Option<ActorData<'a>>,
    offered_until: Option<String>,
    waiting: Vec<WaiterData<'a>>,
}

impl LeaseEntries {
    /// Everything as data.
    pub fn data(&self) -> Data<'_> {
        Data {
            leases: self
                .leases
                .iter()
                .map(|(lease, waiting)| self.lease(lease, waiting))
                .collect(),
            promises: self
                .promises
                .iter()
                .map(|(ticket, behind)| PromiseData {
                    worktree: self.place(self.project_of(ticket), ticket.key.worktree),
                    path: &ticket.key.path,
                    actor: self.actor(ticket.actor),
                    offered_until: ticket.offered_until.map(|until| rfc3339(until.at)),
                    waiting: self.waiters(behind),
                })
                .collect(),
        }
    }

    fn lease<'a>(&'a self, lease: &'a Lease, waiting: &'a [Ticket]) -> LeaseData<'a> {
        LeaseData {
            id: lease.id.0,
            kind: lease.kind.as_str(),
            worktree: self.place(lease.project, lease.key.worktree),
            path: lease.reach(),
            pattern: lease.pattern.as_deref(),
            actor: self.actor(lease.owner),
            lent_to: lease.lent_to.and_then(|borrower| self.actor(borrower)),
            taken_at: rfc3339(lease.taken.at),
            touched_at: rfc3339(lease.touched.at),
            writes: lease.writes,
            open_call: lease.call.is_some(),
            expires_at: lease.expires.map(|ends| rfc3339(ends.at)),
            reason: lease.reason.as_deref(),
            waiting: self.waiters(waiting),
            ended_at: lease.ended.map(|(at, _)| rfc3339(at)),
            end_reason: lease.ended.map(|(_, reason)| reason.as_str()),
        }
    }

    fn actor(&self, id: ActorId) -> Option<ActorData<'_>> {
        self.names.actor(id).map(|actor| ActorData {
            label: &actor.label,
            agent_kind: actor.key.agent_kind.as_str(),
            session_id: actor.key.session.as_str(),
            agent_id: actor.key.agent.as_ref().map(AgentId::as_str),
        })
    }

    fn waiters<'a>(&'a self, waiting: &[Ticket]) -> Vec<WaiterData<'a>> {
        let waiters = waiting.iter().filter_map(|ticket| {
            Some(WaiterData {
                label: &self.names.actor(ticket.actor)?.label,
                since: rfc3339(ticket.created.at),
                denials: ticket.denials,
                state: ticket.state.as_str(),
            })
        });
        waiters.collect()
    }
}
