#!/usr/bin/env bash
# Reads two fields, counts the call in a state file.
set -euo pipefail

input=$(cat)
session=$(jq -r '.session_id' <<< "$input")
command=$(jq -r '.tool_input.command // empty' <<< "$input")

dir="$CLAUDE_PROJECT_DIR/.claude/state"
state="$dir/state.json"
mkdir -p "$dir"
[ -f "$state" ] || echo '{"count":0}' > "$state"

case "$command" in
    *"rm -rf /"*)
        echo "refusing: $command" >&2
        exit 2
        ;;
esac

echo "$(date +%s) $session $command" >> "$dir/hook.log"
jq --arg session "$session" '.count += 1 | .session = $session' "$state" > "$state.$$"
mv "$state.$$" "$state"
exit 0
