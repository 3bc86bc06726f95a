#!/usr/bin/env bash
# Counts tool calls in a state file, with one jq.
set -euo pipefail

dir="$CLAUDE_PROJECT_DIR/.claude/state"
state="$dir/state.json"
mkdir -p "$dir"
[ -f "$state" ] || echo '{"count":0}' > "$state"

cat | jq -c --slurpfile state "$state" \
    '$state[0] + {count: ($state[0].count + 1), session: .session_id, tool: .tool_name, command: .tool_input.command}' \
    > "$state.$$"
mv "$state.$$" "$state"
echo "$(date +%s) call" >> "$dir/hook.log"
exit 0
