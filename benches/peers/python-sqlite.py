#!/usr/bin/env python3
"""Records every event in SQLite and denies a command that was denied before or is dangerous."""

import json
import os
import re
import sqlite3
import sys
import time
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    session TEXT NOT NULL,
    name TEXT NOT NULL,
    tool TEXT,
    payload TEXT NOT NULL,
    decision TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS events_by_session ON events (session, at);
"""


def main() -> int:
    raw = sys.stdin.read()
    event = json.loads(raw)
    command = event.get("tool_input", {}).get("command", "")
    decision = "deny" if re.search(r"rm\s+-rf\s+/", command) else "none"

    folder = Path(os.environ["CLAUDE_PROJECT_DIR"]) / ".claude" / "state"
    folder.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(folder / "events.db", timeout=5)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.executescript(SCHEMA)
    session = event.get("session_id", "")
    with db:
        db.execute(
            "INSERT INTO events (at, session, name, tool, payload, decision) VALUES (?, ?, ?, ?, ?, ?)",
            (time.time(), session, event.get("hook_event_name"), event.get("tool_name"), raw, decision),
        )
    (denied,) = db.execute(
        "SELECT count(*) FROM events WHERE session = ? AND decision = 'deny'", (session,)
    ).fetchone()
    db.close()

    if decision == "deny":
        reason = f"this command is not allowed here ({denied} denied so far)"
        output = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
        print(json.dumps({"hookSpecificOutput": output}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
