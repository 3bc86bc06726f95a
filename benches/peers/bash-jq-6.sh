#!/usr/bin/env bash
# Reads the event field by field, keeps a counter per tool, warns at every hundredth call.
set -euo pipefail

input=$(cat)
session=$(echo "$input" | jq -r '.session_id')
tool=$(echo "$input" | jq -r '.tool_name')
command=$(echo "$input" | jq -r '.tool_input.command // empty')
file=$(echo "$input" | jq -r '.tool_input.file_path // empty')

dir="$CLAUDE_PROJECT_DIR/.claude/state"
state="$dir/state.json"
mkdir -p "$dir"
[ -f "$state" ] || echo '{"tools":{}}' > "$state"

if [[ "$command" =~ rm[[:space:]]+-rf[[:space:]]+/ ]]; then
    echo "refusing: $command" >&2
    exit 2
fi

echo "$(date +%s) $session $tool ${command:-$file}" >> "$dir/hook.log"
jq --arg tool "$tool" --arg session "$session" \
    '.tools[$tool] = (.tools[$tool] // 0) + 1 | .session = $session' "$state" > "$state.$$"
mv "$state.$$" "$state"

count=$(jq -r --arg tool "$tool" '.tools[$tool]' "$state")
if (( count % 100 == 0 )); then
    printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"%s calls of %s so far"}}\n' "$count" "$tool"
fi
exit 0
