#!/usr/bin/env python3
"""Counts tool calls in a JSON state file and refuses one dangerous command."""

import json
import os
import re
import sys
import time
from pathlib import Path


def main() -> int:
    event = json.load(sys.stdin)
    command = event.get("tool_input", {}).get("command", "")

    folder = Path(os.environ["CLAUDE_PROJECT_DIR"]) / ".claude" / "state"
    folder.mkdir(parents=True, exist_ok=True)
    state_file = folder / "state.json"
    try:
        state = json.loads(state_file.read_text())
    except FileNotFoundError:
        state = {"tools": {}}

    tool = event.get("tool_name", "")
    state["tools"][tool] = state["tools"].get(tool, 0) + 1
    state["session"] = event.get("session_id")
    new = state_file.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(state))
    new.replace(state_file)

    with open(folder / "hook.log", "a") as log:
        log.write(f"{int(time.time())} {event.get('session_id')} {tool} {command}\n")

    if re.search(r"rm\s+-rf\s+/", command):
        print(f"refusing: {command}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
