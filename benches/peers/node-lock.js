#!/usr/bin/env node
// One writer per file, kept in a JSON lock file: read it, check it, write it back. Locks are given back at Stop.
const fs = require('fs');
const path = require('path');

const folder = path.join(process.env.CLAUDE_PROJECT_DIR, '.claude', 'state');
const file = path.join(folder, 'file-locks.json');

function locks() {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

function keep(state) {
  fs.mkdirSync(folder, { recursive: true });
  // Whole or not at all; what another process wrote since the read is lost all the same.
  fs.writeFileSync(`${file}.${process.pid}`, JSON.stringify(state));
  fs.renameSync(`${file}.${process.pid}`, file);
}

function deny(reason) {
  const answer = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason };
  console.log(JSON.stringify({ hookSpecificOutput: answer }));
}

const event = JSON.parse(fs.readFileSync(0, 'utf8'));
const agent = event.agent_id ?? event.session_id;
const wanted = event.tool_input?.file_path ?? event.tool_input?.notebook_path;
const state = locks();

if (event.hook_event_name === 'PreToolUse' && wanted) {
  const held = state[wanted];
  if (held && held.agent !== agent) {
    deny(`${wanted} is being edited by ${held.agent}`);
  } else {
    state[wanted] = { agent, since: held?.since ?? Date.now(), modified: Date.now() };
    keep(state);
  }
} else if (event.hook_event_name === 'PostToolUse' && state[wanted]?.agent === agent) {
  state[wanted].modified = Date.now();
  keep(state);
} else if (event.hook_event_name === 'Stop') {
  keep(Object.fromEntries(Object.entries(state).filter(([, held]) => held.agent !== agent)));
}
