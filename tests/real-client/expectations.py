"""What a scenario expects: events, payloads, files, requests, the screen, exit codes."""
import json


def unmet(run):
    """What a scenario expects and did not get, each in a sentence."""
    problems, expect = [], run.expectations()
    names = run.event_names()
    position = 0
    for wanted in expect.get("events_in_order", []):
        try:
            position = names.index(wanted, position) + 1
        except ValueError:
            problems.append(f"event {wanted} missing (in order); saw {names}")
            break
    for wanted in expect.get("events", []):
        if wanted not in names:
            problems.append(f"event {wanted} never fired; saw {names}")
    for unwanted in expect.get("no_events", []):
        if unwanted in names:
            problems.append(f"event {unwanted} fired")
    for rule in expect.get("payloads", []):
        problems += payload(run, rule)
    for label, count in expect.get("labels", {}).items():
        seen = sum(1 for row in run.hooks if row.get("label") == label)
        if seen != count:
            problems.append(f"hook labelled {label!r} ran {seen} times, expected {count}")
    for name, content in expect.get("files", {}).items():
        path = run.repo / name
        if content is None:
            if path.exists():
                problems.append(f"file {name} exists but must not")
        elif not path.exists():
            problems.append(f"file {name} missing")
        elif content not in path.read_text(errors="replace"):
            problems.append(f"file {name} does not contain {content!r}")
    for name, content in expect.get("bytes", {}).items():
        path = run.repo / name
        if not path.exists() or path.read_bytes() != content.encode():
            problems.append(f"file {name} is not exactly {content!r}")
    bodies = json.dumps([r.get("body") for r in run.api], ensure_ascii=False)
    stream = json.dumps(run.stream, ensure_ascii=False)
    for where, text in (("api", bodies), ("stream", stream), ("screen", run.screen)):
        for wanted in expect.get(where + "_contains", []):
            if json.dumps(wanted, ensure_ascii=False)[1:-1] not in text:
                problems.append(f"{where} does not contain {wanted!r}")
        for unwanted in expect.get(where + "_lacks", []):
            if json.dumps(unwanted, ensure_ascii=False)[1:-1] in text:
                problems.append(f"{where} contains {unwanted!r}")
    for rule in expect.get("api_times", []):
        problems += times(run, rule)
    for path, bytes_before in run.unchanged.items():
        if not path.exists() or path.read_bytes() != bytes_before:
            problems.append(f"{path.name} was changed")
    if "api_calls" in expect:
        made = sum(1 for r in run.api if not str(r.get("conversation", "aux")).startswith("aux"))
        if made != expect["api_calls"]:
            problems.append(f"{made} scripted API calls, expected {expect['api_calls']}")
    wanted_codes = expect.get("exit_codes", [0] * len(run.codes))
    if run.codes != wanted_codes:
        problems.append(f"exit codes {run.codes}, expected {wanted_codes}")
    late = [f"{r['late']!r}, the model's turn {r['turn']} of {r['of']}" for r in run.api if "late" in r]
    problems += [f"waited in vain for {what}" for what in late]
    stray = [r["path"] for r in run.api if r.get("conversation") == "unmatched"]
    if stray:
        problems.append(f"{len(stray)} API request(s) matched no scripted conversation")
    return problems


def times(run, rule):
    """How often a text stands in the last request of one conversation: what the model still has before it."""
    name = rule.get("conversation", "main")
    bodies = [r.get("body") for r in run.api if r.get("conversation") == name]
    if not bodies:
        return [f"conversation {name!r} made no request"]
    wanted = json.dumps(rule["text"], ensure_ascii=False)[1:-1]
    seen = json.dumps(bodies[-1].get("messages"), ensure_ascii=False).count(wanted)
    seen += json.dumps(bodies[-1].get("system"), ensure_ascii=False).count(wanted)
    return [] if seen == rule["times"] else [f"{rule['text']!r} reached {name} {seen}x, expected {rule['times']}x"]


def payload(run, rule):
    """One rule about hook inputs: some input of that event must satisfy all of it."""
    rows = [row["input"] for row in run.hooks if run.event_name(row) == rule["event"]]
    if not rows:
        return [f"payload rule: {rule['event']} never fired"]

    def good(data):
        return (all(k in data for k in rule.get("has", []))
                and not any(k in data for k in rule.get("lacks", []))
                and all(data.get(k) == v for k, v in rule.get("equals", {}).items())
                and rule.get("contains", "") in json.dumps(data, ensure_ascii=False))
    return [] if any(good(r) for r in rows) else [f"payload rule not met: {rule}; keys {sorted(rows[0])}"]
