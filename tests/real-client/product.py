"""The product under test in one scenario: installed as a person would, its log compared, nothing left behind.

Everything that judges is a plain function over rows, so that `selftest.py` can show each judgement failing.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter, defaultdict
from pathlib import Path

import checkpoints
import leases

# MessageDisplay, WorktreeCreate and WorktreeRemove are left out by the installer on purpose.
REGISTERED_EVENTS = 30
SETTLE_SECONDS = 5
COMMAND_SECONDS = 60


class Product:
    """One binary, installed in one scope, in one scenario's world."""

    def __init__(self, binary, scope, run):
        self.binary, self.scope, self.run = str(binary), scope, run
        self.home = run.world / "toprope"
        # A scenario that breaks the program has a copy of its own that the client starts.
        self.installed = str(run.world / "bin" / "toprope") if run.spec.get("product_breaks") else self.binary
        self.rows, self.registered = [], set()

    def environment(self, env):
        """What the product needs beside the client's own environment."""
        env = {**env, "TOPROPE_HOME": str(self.home)}
        if self.scope == "project" or self.run.spec.get("product_on_path"):  # committed settings name the program, not one machine's path
            env["PATH"] = f"{Path(self.installed).parent}:{env['PATH']}"
        return env

    def call(self, *arguments, program=None):
        return subprocess.run([program or self.binary, *arguments], cwd=self.run.repo, env=self.run.env(), text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_SECONDS)

    def at_terminal(self, arguments, typed, exit_code=0):
        """A command at a terminal of its own, with a person who types; what the terminal shows."""
        line = " ".join([self.binary, *arguments])
        done = subprocess.run(["script", "-qec", line, "/dev/null"], cwd=self.run.repo, env=self.run.env(), text=True,
                              input=typed, capture_output=True, timeout=COMMAND_SECONDS)
        return self.told(arguments, done, exit_code)

    def install(self):
        if self.installed != self.binary:
            Path(self.installed).parent.mkdir(parents=True)
            shutil.copy2(self.binary, self.installed)
        done = self.call("init", "--scope", self.scope, *self.run.spec.get("product_init", []), program=self.installed)
        (self.run.out / "init.txt").write_text(f"exit {done.returncode}\n{done.stdout}{done.stderr}")
        if done.returncode != 0:
            raise RuntimeError(f"init failed with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        self.registered = registered_events(load(self.settings_file()), self.binary)
        for key, value in self.run.spec.get("product_config", {}).items():
            self.command("config", "set", key, value)

    def command(self, *arguments, exit_code=0):
        """A command as a person would type it; what it prints."""
        return self.told(arguments, self.call(*arguments), exit_code)

    def told(self, arguments, done, exit_code=0):
        """What a command printed; it is kept, and must have ended as expected."""
        with open(self.run.out / "commands.txt", "a") as out:
            out.write(f"$ toprope {' '.join(arguments)}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
        if done.returncode != exit_code:
            raise RuntimeError(f"{' '.join(arguments)} exited with {done.returncode}, expected {exit_code}: "
                               f"{done.stderr.strip() or done.stdout.strip()}")
        return done.stdout + done.stderr

    def evidence(self):
        return checkpoints.Evidence(self.home, self.run.repo)

    def held(self):
        return leases.Held(self.home, self.run.repo)

    def wait_until_quiet(self):
        return checkpoints.wait_until_quiet(self.home)

    def settings_file(self):
        return {"user": self.run.config / "settings.json",
                "local": self.run.repo / ".claude" / "settings.local.json",
                "project": self.run.repo / ".claude" / "settings.json"}[self.scope]

    def log(self):
        done = self.call("log", "--json", "--limit", "10000", "--all-projects")
        if done.returncode != 0:
            raise RuntimeError(f"log failed with {done.returncode}: {done.stderr.strip()}")
        (self.run.out / "toprope-log.jsonl").write_text(done.stdout)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def finish(self):
        """Let the last hooks arrive, stop the daemon, read the log once more; say what is wrong."""
        problems, recorded = [], self.run.recorded()
        rules = self.run.spec.get("log", {})
        deadline = time.time() + SETTLE_SECONDS
        try:
            while compare(recorded, self.log(), self.registered, rules) and time.time() < deadline:
                time.sleep(0.1)
            while self.unkept() and time.time() < deadline:
                time.sleep(0.1)  # a process that is gone is noticed, and the end of a transcript read, a little later
            problems += self.wait_until_quiet()
            self.call("daemon", "stop")
            self.rows = self.log()  # with the daemon down, and after it has drained
            problems += self.checkpoint_problems() + self.lease_problems()
        except (RuntimeError, ValueError, OSError, subprocess.SubprocessError) as error:
            problems.append(str(error))
        problems += leftovers(self.binary, self.run.world)
        if self.installed != self.binary:
            problems += leftovers(self.installed, self.run.world)
        if len(self.registered) != REGISTERED_EVENTS:
            problems.append(f"init registered {len(self.registered)} events, expected {REGISTERED_EVENTS}")
        problems += compare(recorded, self.rows, self.registered, rules)
        problems += label_problems(self.rows)
        if self.installed == self.binary:
            problems += complaints(self.run.out / "projects", self.binary)
        for rule in self.run.expectations().get("toprope_log", []):
            problems += rule_problems(rule, self.rows)
        return problems

    def unkept(self):
        """Promises that are not kept, or not yet."""
        return checkpoints.promised(self.run.expectations(), self.evidence()) or leases.promised(self.run.expectations(), self.held())

    def lease_problems(self):
        """What is wrong with who held which file."""
        held = self.held()
        (self.run.out / "leases.json").write_text(json.dumps({"leases": held.leases, "tickets": held.tickets}, indent=1, default=str))
        return leases.sound(held) + leases.promised(self.run.expectations(), held)

    def checkpoint_problems(self):
        """What is wrong with the checkpoints, with what they may not touch, and with what was counted."""
        expect, evidence = self.run.expectations(), self.evidence()
        (self.run.out / "checkpoints.json").write_text(json.dumps(
            {"checkpoints": evidence.checkpoints, "turns": evidence.turns, "jobs": evidence.jobs}, indent=1, default=str))
        problems = checkpoints.sound(evidence) + checkpoints.promised(expect, evidence)
        ways = {way: json.loads(self.command("usage", "--json", "--all-projects", "--by", way))
                for way in ("session", "agent", "turn")}
        if not self.run.spec.get("usage_incomplete"):
            problems += checkpoints.usage_problems(evidence.usage, checkpoints.recount(self.run.config / "projects"), ways)
        if self.run.git_before and self.run.git_after:
            problems += checkpoints.moved(self.run.git_before, self.run.git_after, self.run.spec.get("moves_git", []))
        return problems


def load(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def registered_events(settings, binary):
    """Events under which the settings start this program."""
    name = Path(binary).name
    return {event for event, groups in settings.get("hooks", {}).items() for group in groups
            for hook in group.get("hooks", []) if Path(str(hook.get("command", ""))).name == name}


# -- the recorder against the log ---------------------------------------------------------------------------
def recorded_key(payload):
    return (payload.get("hook_event_name"), payload.get("session_id"), payload.get("agent_id"),
            payload.get("tool_use_id"))


def logged_key(row):
    actor = row.get("actor") or {}
    return row.get("event"), actor.get("session_id"), actor.get("agent_id"), row.get("tool_use_id")


def compare(recorded, rows, registered, rules=None):
    """Every recorded event that is registered stands in the log as often as it was recorded, under its own actor.

    `rules` names events that one side is known to lose: `recorder_loses` (its settings went away, or it was cut
    off) and `product_loses` (cut off beside a hook that blocked), each a list or "all".
    """
    rules = rules or {}
    problems, logged = [], Counter(logged_key(row) for row in rows)
    for key, times in Counter(recorded_key(payload) for payload in recorded).items():
        event, _, agent, call = key
        if event not in registered:
            continue
        seen = logged[key]
        if seen < times and not named(event, rules.get("product_loses", [])):
            problems.append(f"log: {spelled(key)} fired {times}x, logged {seen}x{elsewhere(key, logged)}")
        if seen > times and not named(event, rules.get("recorder_loses", [])):
            problems.append(f"log: {spelled(key)} fired {times}x, logged {seen}x")
    return problems


def named(event, events):
    return events == "all" or event in events


def spelled(key):
    event, session, agent, call = key
    return f"{event} of {agent or 'main'} in {str(session)[:8]}" + (f" ({call})" if call else "")


def elsewhere(key, logged):
    """A hint for the reader: the same event under another actor."""
    event, session, agent, call = key
    others = [spelled(k) for k in logged if k[0] == event and k[3] == call and k[1:3] != (session, agent)]
    return f"; there is {', '.join(others[:3])}" if others else ""


def label_problems(rows):
    """An actor has one label, no two actors share one, and the main thread is called so."""
    labels, actors = defaultdict(set), defaultdict(set)
    for row in rows:
        actor = row.get("actor") or {}
        identity = (actor.get("agent_kind"), actor.get("session_id"), actor.get("agent_id"))
        labels[identity].add(actor.get("label"))
        actors[actor.get("label")].add(identity)
    problems = [f"log: {who} has the labels {sorted(map(str, found))}" for who, found in labels.items() if len(found) > 1]
    problems += [f"log: {label} stands for {len(found)} actors" for label, found in actors.items() if len(found) > 1]
    for (_, session, agent), found in labels.items():
        for label in found:
            if session and (agent is None) != str(label).startswith("main@"):
                problems.append(f"log: agent {agent} is labelled {label}")
    return problems


# -- single expectations ------------------------------------------------------------------------------------
def rule_problems(rule, rows):
    """One entry of `expect.toprope_log`."""
    found = sum(1 for row in rows if meets(rule, row))
    if "times" in rule:
        return [] if found == rule["times"] else [f"log: {found} rows, expected {rule['times']}, for {rule}"]
    return [] if found else [f"log: no row for {rule}"]


def meets(rule, row):
    actor = row.get("actor") or {}
    for name in ("event", "tool", "outcome", "tool_use_id"):
        if name in rule and row.get(name) != rule[name]:
            return False
    if "actor" in rule and not re.search(rule["actor"], str(actor.get("label"))):
        return False
    if "subagent" in rule and bool(actor.get("agent_id")) != rule["subagent"]:
        return False
    if "target" in rule and not re.search(rule["target"], str(row.get("target"))):
        return False
    if rule.get("contains", "") not in json.dumps(row, ensure_ascii=False):
        return False
    wanted = {name: rule[name] for name in ("policy", "verdict", "reason") if name in rule}
    return not wanted or any(verdict_meets(wanted, verdict) for verdict in row.get("verdicts") or [])


def verdict_meets(wanted, verdict):
    return (all(verdict.get(name) == wanted[name] for name in ("policy", "verdict") if name in wanted)
            and wanted.get("reason", "") in str(verdict.get("reason")))


def complaints(transcripts, binary):
    """What the client itself wrote down about a hook of ours that failed or ran out of time."""
    problems = []
    for path in sorted(Path(transcripts).rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if binary not in line and Path(binary).name + " hook" not in line:
                continue
            note = json.loads(line).get("attachment") or {}
            failed = note.get("type") == "hook_non_blocking_error" or note.get("timedOut")
            if failed and Path(binary).name + " hook" in str(note.get("command")):
                problems.append(f"client: {note.get('hookName')} failed: {note.get('stderr') or note.get('type')}")
    return problems


# -- nothing stays behind -----------------------------------------------------------------------------------
def leftovers(binary, world):
    """Processes of this world that outlive `daemon stop`; they are reported, then ended."""
    deadline = time.time() + SETTLE_SECONDS
    while (found := processes(binary, world)) and time.time() < deadline:
        time.sleep(0.05)
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return [f"process {pid} ({what}) is left behind" for pid, what in found.items()]


def led_to(link):
    """Where a link leads; nothing if it is gone meanwhile, as open files come and go."""
    try:
        return os.readlink(link).encode()
    except OSError:
        return b""


def processes(binary, world):
    """Running copies of the binary that belong to this world, by environment, arguments or open files."""
    found, real = {}, os.path.realpath(binary)
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "exe").removesuffix(" (deleted)") != real:
                continue
            arguments = (entry / "cmdline").read_bytes()
            mine = [(entry / "environ").read_bytes(), arguments, os.readlink(entry / "cwd").encode()]
            mine += [link for fd in (entry / "fd").iterdir() if (link := led_to(fd))]
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue  # gone meanwhile, or not ours to read
        if state != "Z" and any(str(world).encode() in text for text in mine):
            found[int(entry.name)] = arguments.replace(b"\0", b" ").decode(errors="replace").strip()
    return found
