#!/usr/bin/env node
// Keeps the last events in a JSON state file and refuses one dangerous command.
const fs = require('fs');
const path = require('path');

let input = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => (input += chunk));
process.stdin.on('end', () => {
  const event = JSON.parse(input);
  const command = event.tool_input?.command ?? '';
  const folder = path.join(process.env.CLAUDE_PROJECT_DIR, '.claude', 'state');
  const file = path.join(folder, 'state.json');
  fs.mkdirSync(folder, { recursive: true });

  let state = { count: 0, recent: [] };
  if (fs.existsSync(file)) state = JSON.parse(fs.readFileSync(file, 'utf8'));
  state.count += 1;
  state.recent = [...state.recent, { at: Date.now(), session: event.session_id, tool: event.tool_name, command }].slice(-20);
  fs.writeFileSync(`${file}.${process.pid}`, JSON.stringify(state));
  fs.renameSync(`${file}.${process.pid}`, file);

  if (/rm\s+-rf\s+\//.test(command)) {
    console.log(
      JSON.stringify({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'this command is not allowed here',
        },
      }),
    );
  }
});
