//! What the start and the end of an agent's run are called, once it is known what the agent is for.
//!
//! Agents that were started side by side cannot be told apart before their calls return, so that a checkpoint may be cut
//! under the agent's kind alone. Whichever comes later, the checkpoint or the description, completes it.

use engine::checkpoint::label::{self, AgentMoment};
use engine::id::ActorId;
use store::table::actors;
use store::table::checkpoints::{self, Checkpoint, CheckpointKind};
use store::{Db, StoreError};

/// Names the checkpoints of an agent's newest run by what is known of it now.
pub fn complete(db: &Db, agent: ActorId) -> Result<(), StoreError> {
    let Some(agent) = actors::by_id(db, agent)?.filter(|agent| agent.description.is_some()) else {
        return Ok(());
    };
    for checkpoint in checkpoints::ends_of_run(db, agent.id, agent.run)? {
        let label = label::agent(
            moment(&checkpoint),
            agent.description.as_deref(),
            agent.agent_type.as_deref(),
        );
        if label != checkpoint.label {
            checkpoints::set_label(db, &checkpoint.id, &label)?;
        }
    }
    Ok(())
}

fn moment(checkpoint: &Checkpoint) -> AgentMoment {
    match checkpoint.kind {
        CheckpointKind::AgentStart => AgentMoment::Starting,
        _ if checkpoint.label.starts_with(AgentMoment::Failed.word()) => AgentMoment::Failed,
        _ => AgentMoment::Finished,
    }
}
