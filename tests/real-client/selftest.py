#!/usr/bin/env python3
"""Shows that the harness's own judgements can fail: each test feeds one a fault it must name.

    python3 selftest.py
"""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import checkpoints
import leases
import mock_api
import product

EVENTS = {"PreToolUse", "Stop"}


def payload(event, agent=None, call=None):
    fields = {"hook_event_name": event, "session_id": "s1", "agent_id": agent, "tool_use_id": call}
    return {name: value for name, value in fields.items() if value}


def row(event, agent=None, call=None, label=None, verdicts=()):
    return {"event": event, "tool_use_id": call, "verdicts": list(verdicts),
            "actor": {"agent_kind": "claude-code", "session_id": "s1", "agent_id": agent,
                      "label": label or (f"agent@{agent}" if agent else "main@s1")}}


class TheLogAgainstTheRecorder(unittest.TestCase):
    def test_agrees_when_every_event_stands_in_it_once(self):
        recorded = [payload("PreToolUse", "a1", "t1"), payload("Stop")]
        self.assertEqual(product.compare(recorded, [row("Stop"), row("PreToolUse", "a1", "t1")], EVENTS), [])

    def test_names_an_event_that_is_missing(self):
        self.assertEqual(product.compare([payload("Stop")], [], EVENTS), ["log: Stop of main in s1 fired 1x, logged 0x"])

    def test_names_an_event_that_was_logged_twice(self):
        self.assertEqual(product.compare([payload("Stop")], [row("Stop")] * 2, EVENTS),
                         ["log: Stop of main in s1 fired 1x, logged 2x"])

    def test_names_an_event_under_another_actor(self):
        found = product.compare([payload("PreToolUse", "a1", "t1")], [row("PreToolUse", None, "t1")], EVENTS)
        self.assertEqual(found, ["log: PreToolUse of a1 in s1 (t1) fired 1x, logged 0x; there is PreToolUse of main in s1 (t1)"])

    def test_leaves_out_what_is_not_registered(self):
        self.assertEqual(product.compare([payload("MessageDisplay")], [], EVENTS), [])

    def test_allows_only_the_loss_a_scenario_names(self):
        self.assertEqual(product.compare([payload("Stop")], [row("Stop")] * 2, EVENTS, {"recorder_loses": ["Stop"]}), [])
        self.assertTrue(product.compare([payload("Stop")], [], EVENTS, {"recorder_loses": ["Stop"]}))


class Labels(unittest.TestCase):
    def test_one_actor_keeps_one_label(self):
        self.assertTrue(product.label_problems([row("Stop", label="main@1"), row("Stop", label="main@2")]))

    def test_two_actors_never_share_a_label(self):
        self.assertTrue(product.label_problems([row("Stop", "a1", label="x@a"), row("Stop", "a2", label="x@a")]))

    def test_a_subagent_is_not_called_main(self):
        self.assertTrue(product.label_problems([row("Stop", "a1", label="main@a")]))
        self.assertEqual(product.label_problems([row("Stop"), row("Stop", "a1")]), [])


class Expectations(unittest.TestCase):
    verdict = {"policy": "rehearsal", "verdict": "deny", "reason": "rehearsed denial: x"}

    def test_a_verdict_is_looked_for_within_one_entry(self):
        rows = [row("Stop", verdicts=[self.verdict, {"policy": "notices", "verdict": "advise", "reason": ""}])]
        self.assertEqual(product.rule_problems({"event": "Stop", "policy": "rehearsal", "verdict": "deny"}, rows), [])
        self.assertTrue(product.rule_problems({"policy": "notices", "verdict": "deny"}, rows))

    def test_times_counts_rows_exactly(self):
        self.assertTrue(product.rule_problems({"event": "Stop", "times": 1}, [row("Stop")] * 2))
        self.assertEqual(product.rule_problems({"event": "Stop", "times": 0}, []), [])

    def test_the_actor_is_a_pattern_on_the_label(self):
        self.assertTrue(product.rule_problems({"actor": "^main@"}, [row("Stop", "a1")]))


class Installed(unittest.TestCase):
    def test_events_are_read_from_the_settings_as_written(self):
        ours = {"hooks": [{"type": "command", "command": "/x/toprope", "args": ["hook", "claude-code"]}]}
        other = {"hooks": [{"type": "command", "command": "echo toprope"}]}
        self.assertEqual(product.registered_events({"hooks": {"Stop": [other, ours], "Setup": [other]}}, "/x/toprope"), {"Stop"})


def kept(who="main", kind="turn", **more):
    return {"who": who, "kind": kind, "label": "x", "degraded": [], "files": {}, "wrote": {}, "transcript": "", "story": {},
            "summary": None, "summary_file": None, "commit_id": "c1", **more}


class Kept:
    """Evidence made by hand."""

    def __init__(self, found=(), turns=(), usage=(), parents=None, contents=None):
        self.checkpoints, self.turns, self.usage = list(found), list(turns), list(usage)
        self.parents, self.contents, self.names = parents or {}, contents or {}, {1: "main", 2: "sub"}

    def read(self, commit, path):
        return self.contents.get((commit, path))


class Checkpoints(unittest.TestCase):
    def judged(self, expect, *found, **more):
        return checkpoints.promised(expect, Kept(found, **more))

    def test_one_too_many_or_too_few_is_named(self):
        rule = {"checkpoints": {"main": [{"kind": "turn"}]}}
        self.assertEqual(self.judged(rule, kept()), [])
        self.assertTrue(self.judged(rule))
        self.assertTrue(self.judged(rule, kept(), kept()))
        self.assertTrue(self.judged(rule, kept(), kept("sub")), "nobody expected the subagent's")
        self.assertEqual(self.judged({**rule, "but": ["step"]}, kept(kind="step"), kept()), [])

    def test_every_word_of_a_rule_counts(self):
        good = kept(label="a", files={"f": "added"}, wrote={"f": "added tool main"}, summary="s", summary_file="s\n",
                    transcript='{"text": "said \\"so\\""}', sealed=True,
                    story={"transcript": {"sealed": True}, "token_usage": {"complete": True}})
        rule = {"kind": "turn", "label": "a", "files": {"f": "added"}, "wrote": {"f": "added tool main"}, "summary": "s",
                "transcript": ['said "so"'], "sealed": True, "holds": {"f": "text"}, "parent": "main"}
        more = {"contents": {("c1", "files/f"): "text"}, "parents": {"main": "main"}}
        self.assertEqual(self.judged({"checkpoints": {"main": [rule]}}, good, **more), [])
        for fault in ({"kind": "step"}, {"label": "b"}, {"files": {}}, {"wrote": {}}, {"summary": "t"}, {"summary_file": ""},
                      {"transcript": ""}, {"sealed": False}, {"story": {}}, {"commit_id": "c2"}, {"degraded": ["scan"]}):
            self.assertTrue(self.judged({"checkpoints": {"main": [rule]}}, {**good, **fault}, **more), fault)
        self.assertTrue(self.judged({"checkpoints": {"main": [rule]}}, good, contents=more["contents"]), "no parent")

    def test_the_line_has_an_order(self):
        found = kept(kind="baseline"), kept("sub", "agent-stop"), kept()
        self.assertEqual(self.judged({"line": ["main baseline", "main turn"]}, *found), [])
        self.assertTrue(self.judged({"line": ["main turn", "sub agent-stop"]}, *found))

    def test_what_a_path_went_through_is_compared_over_the_whole_line(self):
        found = kept(wrote={"f": "added tool main"}), kept("sub", wrote={"f": "modified shell sub"})
        self.assertEqual(self.judged({"wrote": {"f": ["added tool main", "modified shell sub"]}}, *found), [])
        self.assertTrue(self.judged({"wrote": {"f": ["added tool main"]}}, *found))

    def test_a_turn_is_sealed_unless_told_otherwise(self):
        turn = {"who": "main", "number": 1, "state": "done", "sealed": 1}
        self.assertEqual(self.judged({"turns": {"main": [{"state": "done"}]}}, turns=[turn]), [])
        self.assertTrue(self.judged({"turns": {"main": [{"state": "done"}]}}, turns=[{**turn, "sealed": 0}]))

    def test_names_tell_sessions_and_agents_apart_and_leave_the_probe_out(self):
        actors = [{"id": 1, "agent_id": "", "description": None, "agent_type": None},
                  {"id": 2, "agent_id": "", "description": None, "agent_type": None},
                  {"id": 3, "agent_id": "", "description": None, "agent_type": None},
                  {"id": 4, "agent_id": "a1", "description": None, "agent_type": "Explore"},
                  {"id": 5, "agent_id": "a2", "description": "look", "agent_type": "Explore"}]
        self.assertEqual(checkpoints.called(actors, {2, 3}), {2: "main", 3: "main 2", 4: "Explore", 5: "look"})


class HandsOff(unittest.TestCase):
    def test_what_moved_is_named_unless_the_scenario_moves_it(self):
        before, after = {"HEAD": "main", "refs": ["a"]}, {"HEAD": "main", "refs": ["a", "b"]}
        self.assertEqual(checkpoints.moved(before, before), [])
        self.assertEqual(len(checkpoints.moved(before, after)), 1)
        self.assertEqual(checkpoints.moved(before, after, ["refs"]), [])

    def test_a_repository_is_watched_down_to_the_bytes_of_its_index(self):
        with tempfile.TemporaryDirectory() as folder:
            run = lambda *a: subprocess.run(["git", "-C", folder, *a], check=True, capture_output=True)  # noqa: E731
            run("init", "-q")
            (Path(folder) / "a").write_text("a")
            before = checkpoints.repository(folder)
            run("add", "a")
            self.assertEqual({text.split()[1] for text in checkpoints.moved(before, checkpoints.repository(folder))},
                             {"staged", "index"})

    def test_a_broken_repository_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(checkpoints.broken("it", folder))


class Usage(unittest.TestCase):
    none = dict.fromkeys(checkpoints.COUNTS, 0)
    row = {**none, "message_id": "m1", "session_id": 1, "actor_id": 2, "turn": 1, "input": 5, "output": 20}
    page = {"rows": [{"total": {**none, "input": 5, "output": 20}}], "total": {**none, "input": 5, "output": 20}}
    said = {"m1": {"input_tokens": 5, "output_tokens": 20}}

    def test_agrees_with_a_recount(self):
        self.assertEqual(checkpoints.usage_problems([self.row], self.said, {"turn": self.page}), [])

    def test_a_message_missing_counted_wrongly_or_from_nowhere_is_named(self):
        self.assertTrue(checkpoints.usage_problems([], self.said, {}))
        self.assertTrue(checkpoints.usage_problems([{**self.row, "output": 19}], self.said, {}))
        self.assertTrue(checkpoints.usage_problems([self.row], {}, {}))

    def test_sums_that_differ_are_named(self):
        other = {"rows": [], "total": self.page["total"]}
        self.assertTrue(checkpoints.usage_problems([self.row], self.said, {"agent": other}))

    def test_shares_are_told_by_turn_and_by_actor(self):
        found = Kept(usage=[self.row])
        wanted = {"turns": {"main t1": 20}, "actors": {"sub": 20}}
        self.assertEqual(checkpoints.promised({"usage": wanted}, found), [])
        self.assertTrue(checkpoints.promised({"usage": {"actors": {"main": 20}}}, found))

    def test_the_recount_takes_each_message_once_and_its_highest_output(self):
        with tempfile.TemporaryDirectory() as folder:
            line = '{"type": "assistant", "message": {"id": "m1", "usage": {"output_tokens": %d}}}\n'
            (Path(folder) / "a.jsonl").write_text(line % 1 + line % 20 + "no json\n")
            (Path(folder) / "b.jsonl").write_text(line % 3)
            self.assertEqual(checkpoints.recount(folder), {"m1": {"output_tokens": 20}})


class Jobs(unittest.TestCase):
    def test_a_job_that_failed_is_named(self):
        found = Kept()
        found.jobs, found.counters, found.shadow = [{"kind": "checkpoint", "key": "k", "state": "failed", "error": "why"}], {}, None
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "-q", folder], check=True)
            found.repo = Path(folder)
            self.assertEqual(checkpoints.sound(found), ["jobs: checkpoint k failed: why"])


class Holding:
    """Leases and tickets made by hand."""

    def __init__(self, *rows, tickets=()):
        self.leases, self.tickets = list(rows), list(tickets)
        self.live = lambda: leases.Held.live(self)


def lease(who="main", path="f", taken=1, ended=2, reason="turn_end", owner=None, kind="edit", writes=1):
    return {"who": who, "owner": owner or who, "path": path, "taken_at": taken, "ended_at": ended, "end_reason": reason,
            "kind": kind, "writes": writes}


class Leases(unittest.TestCase):
    def test_what_is_held_now_is_told_with_whose_it_is(self):
        held = Holding(lease(ended=None), lease("sub", "g", ended=None, owner="main"), lease("sub", "h"))
        self.assertEqual(held.live(), {"f": "main", "g": "sub (from main)"})

    def test_a_file_in_other_hands_or_in_none_is_named(self):
        self.assertEqual(leases.differs({"f": "main", "g": None}, {"f": "main", "h": "sub"}), [])
        self.assertTrue(leases.differs({"f": "sub"}, {"f": "main"}))
        self.assertTrue(leases.differs({"f": None}, {"f": "main"}))
        self.assertTrue(leases.differs({"f": "main"}, {}))

    def test_every_lease_that_ever_was_is_expected_in_order(self):
        rule = {"leases": {"f": ["main turn_end, 1 write", "sub actor_end, 0 writes"]}, "tickets": {"f": ["sub used"]}}
        good = [lease(), lease("sub", taken=2, ended=3, reason="actor_end", writes=0)]
        line = [{"path": "f", "who": "sub", "state": "used"}]
        self.assertEqual(leases.promised(rule, Holding(*good, tickets=line)), [])
        self.assertTrue(leases.promised(rule, Holding(*good[::-1], tickets=line)))
        self.assertTrue(leases.promised(rule, Holding(*good, lease(path="g"), tickets=line)), "nobody expected that one")
        self.assertTrue(leases.promised(rule, Holding(*good, tickets=[])))
        self.assertTrue(leases.promised(rule, Holding({**good[0], "writes": 2}, good[1], tickets=line)))
        self.assertEqual(leases.promised({}, Holding(*good)), [], "what is not promised is not judged")

    def test_nothing_stays_held_without_end_reason_or_in_two_hands(self):
        self.assertEqual(leases.sound(Holding(lease(), lease("sub", taken=2, ended=3), lease("person", "p", ended=None))), [])
        self.assertTrue(leases.sound(Holding(lease(ended=None))))
        self.assertTrue(leases.sound(Holding(lease(reason=None))))
        self.assertTrue(leases.sound(Holding(lease(), lease("sub", taken=1, ended=3))))
        self.assertEqual(leases.sound(Holding(lease(), lease("sub", taken=1, kind="reserve"))), [], "a reservation is no edit")


class Turns(unittest.TestCase):
    def test_a_turn_is_held_back_until_what_it_waits_for_has_come_and_what_never_came_is_told(self):
        script, asked = mock_api.Script({}), []
        script.ready = lambda condition: asked.append(condition) or len(asked) > 2
        self.assertIsNone(script.hold({"when": {"wait_asked": {"a": 1}}}))
        self.assertEqual(len(asked), 3)
        self.assertIsNone(script.hold({}))
        script.ready = lambda condition: False
        mock_api.HOLD_SECONDS, patience = 0.1, mock_api.HOLD_SECONDS
        try:
            self.assertEqual(script.hold({"when": {"wait_held": {"f": None}}}), {"wait_held": {"f": None}})
        finally:
            mock_api.HOLD_SECONDS = patience


class LeftBehind(unittest.TestCase):
    def test_a_process_of_this_world_is_named_and_ended(self):
        with tempfile.TemporaryDirectory() as world:
            binary = Path(world) / "product"
            shutil.copy(shutil.which("sleep"), binary)
            stray = subprocess.Popen([binary, "600"], env={"TOPROPE_HOME": world})
            product.SETTLE_SECONDS, patience = 0.2, product.SETTLE_SECONDS
            try:
                found = product.leftovers(binary, world)
            finally:
                product.SETTLE_SECONDS = patience
            self.assertEqual(len(found), 1)
            self.assertNotEqual(stray.wait(timeout=5), 0)
            self.assertEqual(product.leftovers(binary, world), [])


if __name__ == "__main__":
    unittest.main()
