"""What checkpoints a scenario left: read from the product's database and the shadow repository, compared with the promises.

Reads only. Everything that judges is a plain function over plain values, so that `selftest.py` can show it failing.
"""
import hashlib
import json
import sqlite3
import subprocess
import time
from collections import Counter
from pathlib import Path

QUIET_SECONDS = 15
COUNTS = ("input", "cache_write_5m", "cache_write_1h", "cache_read", "output", "thinking")


# -- reading ------------------------------------------------------------------------------------------------
def rows(home, sql):
    """Rows of the product's database as dictionaries; none if there is no database yet."""
    database = Path(home) / "toprope.db"
    if not database.exists():
        return []
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=5) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        return [dict(row) for row in connection.execute(sql)]


def git(folder, *arguments, text=True):
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=text, timeout=60)
    return done.stdout if done.returncode == 0 else None


def wait_until_quiet(home, seconds=QUIET_SECONDS):
    """Waits until no job waits or runs; says which still do."""
    deadline = time.time() + seconds
    while True:
        busy = rows(home, "SELECT kind, key, state FROM jobs WHERE state IN ('queued', 'running')")
        if not busy or time.time() > deadline:
            return [f"jobs: {job['kind']} {job['key']} is still {job['state']}" for job in busy]
        time.sleep(0.05)


class Evidence:
    """Checkpoints, turns and jobs of one world, with people called by names that are the same in every run."""

    def __init__(self, home, repo):
        self.repo = Path(repo)
        self.jobs = rows(home, "SELECT kind, key, state, error FROM jobs ORDER BY id")
        self.usage = rows(home, "SELECT * FROM usage")
        self.counters = {row["name"]: row for row in rows(home, "SELECT name, count, last_text FROM counters")}
        actors = rows(home, "SELECT * FROM actors ORDER BY id")
        turns = rows(home, "SELECT * FROM turns ORDER BY id")
        found = rows(home, "SELECT * FROM checkpoints ORDER BY seq")
        files = rows(home, "SELECT f.*, CAST(f.path AS TEXT) AS name FROM checkpoint_files AS f ORDER BY id")
        places = {row["id"]: row for row in rows(home, "SELECT id, CAST(root AS TEXT) AS root FROM worktrees")}
        active = {row["actor_id"] for row in turns} | {row["session_id"] for row in found}
        self.names = called(actors, active)
        self.parents = {self.names.get(row["id"]): self.names.get(row["parent_id"]) for row in actors if row["agent_id"]}
        self.agents = {row["id"]: row["agent_id"] for row in actors}
        self.checkpoints = [self.checkpoint(row, files, places) for row in found]
        kinds = {row["id"]: row["kind"] for row in found}
        self.turns = [{**row, "who": self.names.get(row["actor_id"]), "checkpoint": kinds.get(row["checkpoint_id"])}
                      for row in turns]

    @property
    def shadow(self):
        common = git(self.repo, "rev-parse", "--path-format=absolute", "--git-common-dir")
        return Path(common.strip()) / "toprope" / "shadow.git" if common else None

    def checkpoint(self, row, files, places):
        newest = row["sealed_commit"] or row["commit_id"]
        story = json.loads(self.read(newest, "session/metadata.json") or "{}")
        agent = self.agents.get(row["actor_id"])
        folder = f"session/agents/{agent}/transcript" if agent else "session/transcript"
        place = Path(places[row["worktree_id"]]["root"])
        return {
            **row, "who": self.names.get(row["actor_id"]) if row["actor_id"] else "person", "degraded": json.loads(row["degraded"]),
            "sealed": row["sealed_commit"] is not None, "worktree": "main" if place == self.repo else "linked",
            "story": story, "first_story": json.loads(self.read(row["commit_id"], "session/metadata.json") or "{}"),
            "summary_file": self.read(newest, "session/summary.txt"),
            "transcript": self.joined(newest, folder),
            "files": {entry["path"]: entry["change"] for entry in story.get("files", [])},
            "wrote": {entry["name"]: f"{entry['change']} {entry['origin']} {self.names.get(entry['actor_id'], 'nobody')}"
                      for entry in files if entry["checkpoint_seq"] == row["seq"]},
        }

    def read(self, commit, path):
        return git(self.shadow, "cat-file", "blob", f"{commit}:{path}") if self.shadow else None

    def joined(self, commit, folder):
        names = (git(self.shadow, "ls-tree", "-r", "--name-only", commit, folder) or "").split() if self.shadow else []
        return "".join(self.read(commit, name) or "" for name in sorted(names))


def called(actors, active):
    """Names for actors: `main`, `main 2` for sessions that did something, an agent by its description or kind."""
    names, taken = {}, Counter()
    for row in actors:
        if row["agent_id"]:
            name = row["description"] or row["agent_type"] or "agent"
        elif row["id"] in active:
            name = "main"
        else:
            continue  # the installer's probe
        taken[name] += 1
        names[row["id"]] = name if taken[name] == 1 else f"{name} {taken[name]}"
    return names


# -- what a scenario promises -------------------------------------------------------------------------------
def promised(expect, evidence):
    """`checkpoints`, `line`, `turns` and `usage` of a scenario's expectations."""
    problems = different(expect.get("usage", {}), shares(evidence.usage, evidence.names), ("turns", "actors"))
    if "checkpoints" in expect:
        shown = [row for row in evidence.checkpoints if row["kind"] not in expect.get("but", [])]
        problems += lists("checkpoint", expect["checkpoints"], shown,
                          lambda rule, row: checkpoint_problems(rule, row, evidence))
    if "wrote" in expect:
        problems += different(expect, {"wrote": together(evidence.checkpoints)}, ["wrote"])
    if "turns" in expect:
        problems += lists("turn", expect["turns"], evidence.turns, turn_problems)
    line = [f"{row['who']} {row['kind']}" for row in evidence.checkpoints]
    rest = iter(line)
    missing = [wanted for wanted in expect.get("line", []) if wanted not in rest]
    if missing:
        problems.append(f"line: {missing[0]!r} is missing (in order) in {line}")
    return problems


def together(found):
    """Who did what to which path, over the whole line."""
    return {path: [row["wrote"][path] for row in found if path in row["wrote"]]
            for path in sorted({path for row in found for path in row["wrote"]})}


def lists(what, wanted, found, judge):
    """Compares rows with rules, one list per name, each complete and in order."""
    problems = []
    for who in sorted({*wanted, *(str(row["who"]) for row in found)}):
        rules, theirs = wanted.get(who, []), [row for row in found if str(row["who"]) == who]
        if len(rules) != len(theirs):
            seen = [f"{row.get('kind') or row.get('number')} {row.get('label') or row.get('state')!r}" for row in theirs]
            problems.append(f"{what}s of {who}: expected {len(rules)}, there are {len(theirs)}: {seen}")
            continue
        for number, (rule, row) in enumerate(zip(rules, theirs)):
            problems += [f"{what} {number} of {who}: {problem}" for problem in judge(rule, row)]
    return problems


def different(rule, row, keys):
    return [f"{key} is {row.get(key)!r}, expected {rule[key]!r}" for key in keys if key in rule and row.get(key) != rule[key]]


def checkpoint_problems(rule, row, evidence):
    """One rule about one checkpoint. Nothing is degraded unless the rule says so."""
    rule = {"degraded": [], **rule}
    problems = different(rule, row, ("kind", "label", "turn", "point", "sequence", "run", "worktree", "degraded", "sealed",
                                     "summary", "files", "wrote"))
    if rule.get("summary") and (row["summary_file"] or "").strip() != rule["summary"]:
        problems.append(f"summary.txt is {row['summary_file']!r}")
    if "parent" in rule and evidence.parents.get(row["who"]) != rule["parent"]:
        problems.append(f"parent is {evidence.parents.get(row['who'])!r}, expected {rule['parent']!r}")
    if rule.get("sealed") and not (row["story"].get("transcript") or {}).get("sealed"):
        problems.append("its metadata does not say that it is sealed")
    if rule.get("sealed") and not (row["story"].get("token_usage") or {}).get("complete"):
        problems.append("its token usage is not complete")
    for text in rule.get("transcript", []):
        if json.dumps(text, ensure_ascii=False)[1:-1] not in row["transcript"]:
            problems.append(f"its transcript does not hold {text!r}")
    for path, content in rule.get("holds", {}).items():
        kept = evidence.read(row["commit_id"], f"files/{path}")
        if kept != content:
            problems.append(f"{path} is kept as {kept!r}, expected {content!r}")
    return problems


def turn_problems(rule, row):
    rule = {"sealed": 1, **rule}
    return different(rule, row, ("number", "state", "sealed", "summary", "prompt", "checkpoint"))


# -- what holds for every scenario --------------------------------------------------------------------------
def sound(evidence):
    """Nothing failed, and rows, commits and trees agree."""
    problems = [f"jobs: {job['kind']} {job['key']} {job['state']}: {job['error']}" for job in evidence.jobs
                if job["state"] in ("failed", "lost")]
    failed = evidence.counters.get("checkpoint-failed")
    if failed:
        problems.append(f"jobs: {failed['count']} failed, the last because {failed['last_text']}")
    for row in evidence.checkpoints:
        problems += [f"checkpoint {row['id']} ({row['kind']} of {row['who']}): {problem}" for problem in unsound(row, evidence)]
    problems += broken("the shadow", evidence.shadow) if evidence.shadow and evidence.shadow.is_dir() else []
    return problems + broken("the repository", evidence.repo)


def unsound(row, evidence):
    problems = []
    if row["who"] is None:
        problems.append("it is nobody's")
    if row["first_story"].get("checkpoint_id") != row["id"]:
        problems.append(f"its commit calls it {row['first_story'].get('checkpoint_id')}")
    tree = (git(evidence.shadow, "rev-parse", f"{row['commit_id']}:files") or "").strip()
    if tree != row["files_tree"]:
        problems.append(f"its files are {tree}, its row says {row['files_tree']}")
    for commit in filter(None, (row["commit_id"], row["sealed_commit"])):
        if git(evidence.shadow, "for-each-ref", "--contains", commit, "refs/toprope/shadow") in (None, ""):
            problems.append(f"{commit} is on no line")
    return problems


def broken(name, folder):
    done = subprocess.run(["git", "-C", str(folder), "fsck", "--full", "--strict", "--no-dangling", "--no-progress"],
                          capture_output=True, text=True, timeout=60)
    said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("notice:")]
    return [f"fsck of {name}: {' / '.join(said) or done.returncode}"] if done.returncode or said else []


def repository(repo):
    """What belongs to the person in a repository: all but the files, our keep refs and the client's worktree branches."""
    refs = [line for line in (git(repo, "for-each-ref") or "").splitlines()
            if not line.partition("\t")[2].startswith(("refs/toprope/", "refs/heads/worktree-"))]
    index = Path(repo) / ".git" / "index"
    return {"HEAD": git(repo, "rev-parse", "--symbolic-full-name", "HEAD"), "refs": refs,
            "staged": git(repo, "ls-files", "--stage"), "stash": git(repo, "stash", "list"),
            "index file": hashlib.sha256(index.read_bytes()).hexdigest() if index.exists() else None,
            "config": git(repo, "config", "--local", "--list")}


def moved(before, after, allowed=()):
    """What observing has changed, but for what a scenario's own commands may move."""
    return [f"git: {name} was {before[name]!r} and is {after[name]!r}" for name in before
            if name not in allowed and before[name] != after[name]]


# -- usage --------------------------------------------------------------------------------------------------
def recount(transcripts):
    """What the transcripts say, counted anew: each message once, its highest output."""
    messages = {}
    for path in sorted(Path(transcripts).rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                said = json.loads(line)
            except ValueError:
                continue
            message = said.get("message") or {}
            used = message.get("usage")
            if said.get("type") != "assistant" or not used or not message.get("id") or message.get("model") == "<synthetic>":
                continue
            known = messages.get(message["id"])
            if known is None or used.get("output_tokens", 0) > known.get("output_tokens", 0):
                messages[message["id"]] = used
    return messages


def usage_problems(usage, messages, ways):
    """The product's sums against a recount, and against each other whichever way they are put."""
    problems = []
    told = {row["message_id"]: row for row in usage}
    for name in sorted({*told, *messages}):
        ours, theirs = told.get(name), messages.get(name)
        if ours is None or theirs is None:
            problems.append(f"usage: message {name} is {'not counted' if ours is None else 'in no transcript'}")
        elif (ours["input"], ours["output"]) != (theirs.get("input_tokens", 0), theirs.get("output_tokens", 0)):
            problems.append(f"usage: message {name} counts {ours['input']}/{ours['output']}")
    totals = {name: sum(row[name] for row in usage) for name in COUNTS}
    for way, page in ways.items():
        added = {name: sum(row["total"][name] for row in page["rows"]) for name in COUNTS}
        if added != totals or page["total"] != totals:
            problems.append(f"usage by {way}: {added}, in all {totals}")
    return problems


def shares(usage, names):
    """Output tokens per turn and per actor."""
    turns, actors = Counter(), Counter()
    for row in usage:
        turns[f"{names.get(row['session_id'])} t{row['turn']}"] += row["output"]
        actors[names.get(row["actor_id"])] += row["output"]
    return {"turns": dict(turns), "actors": dict(actors)}
