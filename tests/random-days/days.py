"""Plays random days of a person and an agent who work in one repository, and judges the rewind at the end of each.

Every day is made by its seed alone. The first five bad days are printed with all that happened in them.
"""
import argparse
import os
import random
import sys
import time
import traceback

from client import Agent, Call
from oracle import AGENT, PERSON, Oracle
from world import FIRST_FILES, World, differences

NAMES = ["README.md", "src/a.txt", "src/b.txt", "n1.txt", "n2.txt", "src/n3.txt", "d/n4.txt"]
CALLS = ["write", "edit", "listed", "listed", "failing", "readonly", "unknown", "rm", "mv"]
DEEDS = ["new", "edit", "append", "delete", "edit"]
# File systems date changes by a clock that ticks every few milliseconds.
TICK = 0.006
SHOWN = 5

# What the person's edit falls into: a call that only reads, one whose tool names its file, one that lists what it changed,
# one that may have written anything.
READS, NAMES_ITS_FILE, LISTS, ANYTHING = "readonly", "tool", "listed", "anything"


class Day:
    """What a person and an agent do in a day. Every choice comes from the seed, in the order of the calls here."""

    def __init__(self, world, rng):
        self.world, self.rng, self.oracle, self.texts = world, rng, Oracle(world), 0
        for name in FIRST_FILES:
            self.oracle.begin(name)

    def play(self):
        self.agent = Agent(self.world)
        self.person_may_act(None)
        self.oracle.forget_before()
        for number in range(self.rng.randint(1, 3)):
            self.agent.prompt(f"turn {number}")
            self.person_may_act(None)
            for _ in range(self.rng.randint(1, 5)):
                self.agent_acts()
                self.person_may_act(None)
            self.agent.stop()
            self.person_may_act(None)

    def new_text(self, who):
        self.texts += 1
        return f"{who} {self.texts}\n"

    def is_there(self, name):
        return self.world.read(name) is not None

    # -- the person ---------------------------------------------------------------------------------------------
    def person_may_act(self, during, chance=0.25):
        if self.rng.random() < chance:
            self.person_acts(during)

    def person_acts(self, during):
        """The person changes one file; `during` says what kind of call is open, if any."""
        deed, name = self.rng.choice(DEEDS), self.rng.choice(NAMES)
        time.sleep(TICK)
        if deed == "delete":
            if not self.is_there(name):
                return
            os.unlink(self.world.path(name))
        elif deed == "append":
            self.world.write(name, (self.world.read(name) or "") + self.new_text(PERSON))
        else:
            self.world.write(name, self.new_text(PERSON))
        if during in (ANYTHING, LISTS) and self.oracle.last_writer(name) != PERSON:
            self.oracle.exceptions.add(name)
        self.oracle.note(PERSON, name, f"{deed} inside={during}")
        time.sleep(TICK)

    # -- the agent ----------------------------------------------------------------------------------------------
    def agent_acts(self):
        """One call of the agent, with its hooks; some choices turn out to be nothing to do."""
        kind, name = self.rng.choice(CALLS), self.rng.choice(NAMES)
        if kind == "write":
            self.writes(name)
        elif kind == "edit":
            self.edits(name)
        else:
            made = self.command(kind, name)
            if made:
                self.runs(kind, *made)

    def writes(self, name):
        path, text = self.world.path(name), self.new_text(AGENT)
        if self.is_there(name) and self.rng.random() < 0.7:
            self.agent.reads(name)
        call = Call(self.agent, "Write", {"file_path": path, "content": text})
        if not call.begin():
            return
        self.world.write(name, text)
        self.oracle.note(AGENT, name, "Write")
        call.end({"type": "update", "filePath": path, "content": text, "structuredPatch": []})
        self.person_may_act(NAMES_ITS_FILE)
        self.agent.end_batch()

    def edits(self, name):
        if not self.is_there(name):
            return
        path = self.world.path(name)
        self.agent.reads(name)
        call = Call(self.agent, "Edit", {"file_path": path, "old_string": "x", "new_string": "y"})
        if not call.begin():
            return
        self.world.write(name, self.world.read(name) + self.new_text(AGENT))
        self.oracle.note(AGENT, name, "Edit")
        call.end({"filePath": path, "oldString": "x", "newString": "y", "structuredPatch": []})
        self.agent.end_batch()

    def command(self, kind, name):
        """A command of a kind and the files it changes; None where there is nothing to do."""
        text = self.new_text(AGENT).strip()
        if kind == "listed":
            return f"echo '{text}' > {name}", [name]
        if kind == "failing":
            return f"echo '{text}' > {name}; false", [name]
        if kind == "unknown":
            script = f"import sys; open(sys.argv[1],\"w\").write(\"{text}\")"
            return f"python3 -c '{script}' {name}" + self.rng.choice(["", "; false"]), [name]
        if kind == "readonly":
            return self.rng.choice(["ls", "cat README.md", "git log --oneline"]), []
        if kind == "rm":
            return (f"rm {name}", [name]) if self.is_there(name) else None
        other = self.rng.choice(NAMES)
        return (f"mv {name} {other}", [name, other]) if self.is_there(name) and other != name else None

    def runs(self, kind, command, changed):
        """Runs a command for real between its hooks; the person may save something before, after and behind it."""
        during = self.during(kind, command)
        os.makedirs(self.world.path("d"), exist_ok=True)
        call = Call(self.agent, "Bash", {"command": command, "description": "run"})
        if not call.begin():
            self.oracle.story.append(f"denied {command}: {call.reason[:80]}")
            return
        before = self.agent.visible()
        self.person_may_act(during, 0.15)
        done = self.world.shell(call.input["command"])
        for name in changed:
            self.oracle.note(AGENT, name, command)
        self.person_may_act(during, 0.15)
        listed = self.agent.list_of_changes(before, self.agent.visible())
        if done.returncode:
            call.fail(f"Exit code {done.returncode}")
        else:
            call.end(response(done, listed if kind != "readonly" else None))
        self.person_may_act(ANYTHING if during == ANYTHING else NAMES_ITS_FILE, 0.1)
        self.agent.end_batch()

    @staticmethod
    def during(kind, command):
        if kind == "readonly":
            return READS
        return ANYTHING if kind == "unknown" or command.endswith("false") else LISTS


def response(done, listed):
    """What the client says of a command that succeeded, with the list of what changed."""
    said = {"stdout": done.stdout, "stderr": done.stderr, "interrupted": False, "isImage": False, "noOutputExpected": False}
    return {**said, "bashEditDiff": listed} if listed else said


class Verdict:
    """What is wrong after a day, and how much the rewind brought back."""

    def __init__(self, seed):
        self.seed, self.wrong, self.excepted, self.story = seed, [], [], []
        self.restorable = self.restored = 0

    def judge(self, world, day):
        """Rewinds the session to its start, undoes that and does it again, and compares with what may be there."""
        before = world.snapshot()
        rewind = world.toprope("rewind", "start", "--yes", "--skip-conflicts")
        after = world.snapshot()
        for name in NAMES:
            self.judge_file(world, day.oracle, name)
        if rewind.returncode not in (0, 3):
            self.wrong.append(("exit", rewind.returncode, rewind.stderr))
        if differences(before, after):
            self.must_lead_to(before, world, "undo")
            self.must_lead_to(after, world, "redo")
        self.story = [*day.oracle.story, rewind.stdout, rewind.stderr]

    def judge_file(self, world, oracle, name):
        text, allowed = world.read(name), oracle.allowed(name)
        if text not in allowed:
            found = self.excepted if name in oracle.exceptions else self.wrong
            found.append((name, text, allowed))
        if oracle.is_agents_alone(name):
            self.restorable += 1
            self.restored += text == oracle.first(name)

    def must_lead_to(self, wanted, world, command):
        done = world.toprope(command, "--yes")
        left = differences(wanted, world.snapshot())
        if left:
            self.wrong.append((command, done.returncode, done.stderr + repr(left)))


def play(binary, seed):
    """One whole day and what is to be said of it."""
    verdict = Verdict(seed)
    with World(binary) as world:
        day = Day(world, random.Random(seed))
        day.play()
        verdict.judge(world, day)
    return verdict


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the program, called `toprope`, built with the feature `testing`")
    parser.add_argument("first", type=int, metavar="first_seed", help="the seed of the first day; the next has the next number")
    parser.add_argument("count", type=int, help="how many days")
    return parser.parse_args()


def main():
    options = arguments()
    verdicts, bad = [], 0
    for seed in range(options.first, options.first + options.count):
        try:
            verdict = play(options.binary, seed)
        except Exception:  # a day that breaks must not take the others along
            traceback.print_exc()
            print("seed", seed, "broke")
            bad += 1
            continue
        verdicts.append(verdict)
        if verdict.wrong:
            bad += 1
            if bad <= SHOWN:
                print("seed", seed, "BAD", verdict.wrong, *verdict.story, sep="\n  ")
    restored, restorable = sum(v.restored for v in verdicts), sum(v.restorable for v in verdicts)
    print(f"{options.count} days, {bad} bad, {sum(len(v.excepted) for v in verdicts)} named exceptions, "
          f"agent-only paths restored {restored} of {restorable}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
