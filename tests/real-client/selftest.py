#!/usr/bin/env python3
"""Shows that the harness's own judgements can fail: each test feeds one a fault it must name.

    python3 selftest.py
"""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

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
