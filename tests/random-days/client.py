"""A session of the client: it sends hook events as the real client does, and lists what its commands changed."""
import hashlib
import itertools
import json
import os
import subprocess
import sys
import uuid

# Hooks run below a process of the session's own, by which the product knows that the agent lives.
HOOK_RUNNER = r'''
import json, os, subprocess, sys
for line in sys.stdin:
    asked = json.loads(line)
    env = {**os.environ, "CLAUDE_PID": str(os.getpid())}
    done = subprocess.run(asked["argv"], input=asked["input"].encode("utf-8", "surrogateescape"), capture_output=True,
                          cwd=asked["cwd"], env=env)
    print(json.dumps({"code": done.returncode, "out": done.stdout.decode("utf-8", "replace"),
                      "err": done.stderr.decode("utf-8", "replace")}), flush=True)
'''

# Events whose payload has no permission mode.
WITHOUT_MODE = ("SessionStart", "SessionEnd", "SubagentStart")
CALL_IDS = itertools.count(1)


class Call:
    """One use of a tool, from the event before it to the event after it."""

    def __init__(self, agent, tool, tool_input):
        self.agent, self.tool, self.input = agent, tool, tool_input
        self.id = "toolu_c_%06d" % next(CALL_IDS)

    def begin(self):
        """Sends the event before it. False if the product did not let it pass: then the call is over."""
        answer = self.agent.event("PreToolUse", **self.fields())
        said = (answer or {}).get("hookSpecificOutput") or {}
        self.decision, self.reason = said.get("permissionDecision"), said.get("permissionDecisionReason")
        if self.decision:
            self.agent.remember(self, "hook error")
            self.agent.end_batch()
            return False
        self.input = said.get("updatedInput") or self.input
        return True

    def end(self, response):
        """Sends the event after it. The batch it belongs to is still open."""
        self.agent.event("PostToolUse", **self.fields(), tool_response=response, duration_ms=20)
        self.agent.remember(self, "ok")

    def fail(self, error):
        """The same of a call that failed: the client lists nothing then."""
        self.agent.event("PostToolUseFailure", **self.fields(), error=error, is_interrupt=False, duration_ms=20)
        self.agent.remember(self, error)

    def fields(self):
        return {"tool_name": self.tool, "tool_input": self.input, "tool_use_id": self.id}


class Agent:
    """One session, in a world's repository, with nobody who watches it."""

    def __init__(self, world):
        self.world, self.session, self.prompt_id, self.batch = world, str(uuid.uuid4()), None, []
        self.transcript = os.path.join(world.home, ".claude/projects/p", self.session + ".jsonl")
        env = {**world.env, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.session,
               "CLAUDE_CODE_ENTRYPOINT": "sdk-cli", "CLAUDE_CODE_SESSION_ATTENDED": "0", "CLAUDE_PROJECT_DIR": world.repo}
        self.runner = subprocess.Popen([sys.executable, "-c", HOOK_RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       env=env, text=True, start_new_session=True)
        world.agents.append(self)
        self.event("SessionStart", source="startup")

    def kill(self):
        self.runner.kill()
        self.runner.wait(5)

    def event(self, name, **fields):
        """Sends one hook event; what the hook answered, or None."""
        payload = {"session_id": self.session, "transcript_path": self.transcript, "cwd": self.world.repo,
                   "hook_event_name": name}
        if self.prompt_id:
            payload["prompt_id"] = self.prompt_id
        if name not in WITHOUT_MODE:
            payload["permission_mode"] = "bypassPermissions"
        answer = self.run_hook({**payload, **fields})["out"]
        return json.loads(answer) if answer.strip() else None

    def run_hook(self, payload):
        asked = {"argv": [self.world.binary, "hook", "claude-code"], "input": json.dumps(payload), "cwd": self.world.repo}
        self.runner.stdin.write(json.dumps(asked) + "\n")
        self.runner.stdin.flush()
        return json.loads(self.runner.stdout.readline())

    def prompt(self, text):
        self.prompt_id = str(uuid.uuid4())
        self.event("UserPromptSubmit", prompt=text)

    def stop(self):
        self.event("Stop", stop_hook_active=False, last_assistant_message="done", background_tasks=[], session_crons=[])

    def remember(self, call, response):
        """A call that is over is told once more when its batch ends."""
        self.batch.append({**call.fields(), "tool_response": response})

    def end_batch(self):
        calls, self.batch = self.batch, []
        self.event("PostToolBatch", tool_calls=calls)

    def reads(self, name):
        """A whole call that reads a file, in a batch of its own."""
        path = self.world.path(name)
        call = Call(self, "Read", {"file_path": path})
        if call.begin():
            call.end({"type": "text", "file": {"filePath": path, "content": self.world.read(name)}})
            self.end_batch()

    def visible(self):
        """Every file that git does not ignore, with a digest: what the client compares before and after a command."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=self.world.repo,
                                env=self.world.env, capture_output=True)
        found = {}
        for name in filter(None, listed.stdout.decode("utf-8", "surrogateescape").split("\0")):
            path = self.world.path(name)
            if os.path.islink(path):
                found[name] = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    found[name] = hashlib.sha1(file.read()).hexdigest()
        return found

    def list_of_changes(self, before, after):
        """The client's `bashEditDiff`: whatever differs between two moments, whoever did it; None if nothing does."""
        changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
        if not changed:
            return None
        return {"files": [self.changed_file(name, before, after) for name in changed], "moreFiles": 0,
                "changedFiles": [self.world.path(name) for name in changed]}

    def changed_file(self, name, before, after):
        entry = {"filePath": self.world.path(name), "hunks": []}
        if name not in before:
            entry["created"] = True
        if name not in after:
            entry["deleted"] = True
        return entry
