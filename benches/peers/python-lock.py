#!/usr/bin/env python3
"""One writer per file, kept in a JSON lock file: read it, check it, write it back. Locks are given back at Stop."""

import json
import os
import sys
import time
from pathlib import Path

FOLDER = Path(os.environ["CLAUDE_PROJECT_DIR"]) / ".claude" / "state"
FILE = FOLDER / "file-locks.json"


def locks() -> dict:
    try:
        return json.loads(FILE.read_text())
    except FileNotFoundError:
        return {}


def keep(state: dict) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    # Whole or not at all; what another process wrote since the read is lost all the same.
    new = FILE.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(state))
    new.replace(FILE)


def deny(reason: str) -> None:
    answer = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
    print(json.dumps({"hookSpecificOutput": answer}))


def main() -> None:
    event = json.load(sys.stdin)
    agent = event.get("agent_id") or event["session_id"]
    given = event.get("tool_input", {})
    wanted = given.get("file_path") or given.get("notebook_path")
    state = locks()
    held = state.get(wanted)
    name = event["hook_event_name"]
    if name == "PreToolUse" and wanted:
        if held and held["agent"] != agent:
            deny(f"{wanted} is being edited by {held['agent']}")
            return
        since = held["since"] if held else time.time()
        state[wanted] = {"agent": agent, "since": since, "modified": time.time()}
        keep(state)
    elif name == "PostToolUse" and held and held["agent"] == agent:
        held["modified"] = time.time()
        keep(state)
    elif name == "Stop":
        keep({path: held for path, held in state.items() if held["agent"] != agent})


if __name__ == "__main__":
    main()
