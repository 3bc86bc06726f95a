"""Random days: python3 days.py BINARY FIRST_SEED COUNT. An oracle that knows who wrote each path last and from what."""
import os, random, subprocess, sys, time, traceback

from client import World, differences

class Day:
    def __init__(self, w, rng):
        self.w, self.rng, self.n = w, rng, 0
        self.hist = {}       # path -> [(who, state)], state None = absent
        self.log = []
        for p in ["README.md", "src/a.txt", "src/b.txt"]: self.hist[p] = [("base", self.state(p))]
        self.soft = set()    # person saves during an unlisted command that may write anything: the named exception
    def state(self, p):
        f = self.w.path(p)
        return open(f).read() if os.path.exists(f) else None
    def note(self, who, p, why=""):
        self.hist.setdefault(p, [("base", None)]).append((who, self.state(p))); self.log.append(f"{who:6} {p} {why} -> {self.state(p)!r}")
    def names(self): return ["README.md", "src/a.txt", "src/b.txt", "n1.txt", "n2.txt", "src/n3.txt", "d/n4.txt"]
    def existing(self): return [p for p in self.names() if self.state(p) is not None]
    def text(self, who): self.n += 1; return f"{who} {self.n}\n"
    def person(self, inside=None):
        """inside: None, or the kind of call that is open"""
        k = self.rng.choice(["new", "edit", "append", "delete", "edit"]); p = self.rng.choice(self.names())
        time.sleep(0.006)
        if k == "delete":
            if self.state(p) is None: return
            os.unlink(self.w.path(p))
        elif k == "append":
            old = self.state(p) or ""; self.w.write(p, old + self.text("person"))
        else: self.w.write(p, self.text("person"))
        last = self.hist.get(p, [("base", None)])[-1][0]
        self.note("person", p, f"{k} inside={inside}")
        if inside in ("anything", "listed") and last != "person": self.soft.add(p)
        time.sleep(0.006)
    def maybe(self, inside, chance=0.25):
        if self.rng.random() < chance: self.person(inside)
    def call(self, a):
        kind = self.rng.choice(["write", "edit", "listed", "listed", "failing", "readonly", "unknown", "rm", "mv"])
        rng = self.rng; p = rng.choice(self.names()); w = self.w
        if kind == "write":
            path = w.path(p); i = {"file_path": path, "content": self.text("agent")}
            if self.state(p) is not None and rng.random() < .7: a.do_read(p)
            r = a.pre("Write", i)
            if r["decision"]: a.batch.append({"tool_name": "Write", "tool_input": i, "tool_use_id": r["id"], "tool_response": "hook error"}); a.end_batch(); return
            w.write(p, i["content"]); self.note("agent", p, "Write")
            a.post("Write", i, r["id"], {"type": "update", "filePath": path, "content": i["content"], "structuredPatch": []})
            self.maybe("tool"); a.end_batch(); return
        if kind == "edit":
            if self.state(p) is None: return
            a.do_read(p); i = {"file_path": w.path(p), "old_string": "x", "new_string": "y"}
            r = a.pre("Edit", i)
            if r["decision"]: a.batch.append({"tool_name": "Edit", "tool_input": i, "tool_use_id": r["id"], "tool_response": "hook error"}); a.end_batch(); return
            w.write(p, self.state(p) + self.text("agent")); self.note("agent", p, "Edit")
            a.post("Edit", i, r["id"], {"filePath": w.path(p), "oldString": "x", "newString": "y", "structuredPatch": []}); a.end_batch(); return
        t = self.text("agent").strip()
        if kind == "listed": cmd, touched = f"echo '{t}' > {p}", [p]
        elif kind == "failing": cmd, touched = f"echo '{t}' > {p}; false", [p]
        elif kind == "unknown": cmd, touched = f"python3 -c 'import sys; open(sys.argv[1],\"w\").write(\"{t}\")' {p}" + rng.choice(["", "; false"]), [p]
        elif kind == "readonly": cmd, touched = rng.choice(["ls", "cat README.md", "git log --oneline"]), []
        elif kind == "rm":
            if self.state(p) is None: return
            cmd, touched = f"rm {p}", [p]
        else:
            q = rng.choice(self.names())
            if self.state(p) is None or q == p: return
            cmd, touched = f"mv {p} {q}", [p, q]
        i = {"command": cmd, "description": "run"}; os.makedirs(w.path("d"), exist_ok=True)
        r = a.pre("Bash", i)
        if r["decision"]: a.batch.append({"tool_name": "Bash", "tool_input": i, "tool_use_id": r["id"], "tool_response": "hook error"}); a.end_batch(); self.log.append(f"denied {cmd}: {r['reason'][:80]}"); return
        fails = cmd.endswith("false"); inside = "readonly" if kind == "readonly" else ("anything" if fails or kind == "unknown" else "listed")
        before = a.visible(); self.maybe(inside, .15)
        c = subprocess.run(["bash", "-c", r["input"]["command"]], cwd=w.repo, env=w.env, capture_output=True, text=True)
        for x in touched: self.note("agent", x, cmd)
        self.maybe(inside, .15)
        after = a.visible(); changed = sorted(k for k in set(before) | set(after) if before.get(k) != after.get(k))
        resp = {"stdout": c.stdout, "stderr": c.stderr, "interrupted": False, "isImage": False, "noOutputExpected": False}
        if changed and kind != "readonly": resp["bashEditDiff"] = {"files": [{"filePath": w.path(k), "hunks": [], **({"created": True} if k not in before else {}), **({"deleted": True} if k not in after else {})} for k in changed], "moreFiles": 0, "changedFiles": [w.path(k) for k in changed]}
        a.post("Bash", r["input"], r["id"], resp, failed=f"Exit code {c.returncode}" if c.returncode else None)
        self.maybe("anything" if inside == "anything" else "tool", .1); a.end_batch()
    def allowed(self, p):
        """contents that a rewind to the start may leave in p"""
        h = self.hist.get(p, [("base", None)]); now = h[-1][1]; ok = [now]
        if h[-1][0] == "agent":
            i = len(h) - 1
            while i > 0 and h[i][0] == "agent": i -= 1
            ok.append(h[i][1])
        return ok

def day(binary, seed):
    rng = random.Random(seed)
    with World(binary) as w:
        d = Day(w, rng); a = w.agent(); d.maybe(None)
        for h in d.hist.values(): h[:] = [('base', h[-1][1])]
        for turn in range(rng.randint(1, 3)):
            a.prompt(f"turn {turn}"); d.maybe(None)
            for _ in range(rng.randint(1, 5)): d.call(a); d.maybe(None)
            a.stop(); d.maybe(None)
        before = w.snap(); bad = []; soft = []
        p = w.person("rewind", "start", "--yes", "--skip-conflicts"); after = w.snap()
        got = back = 0
        for path in d.names():
            ok = d.allowed(path); s = d.state(path)
            if s not in ok: (soft if path in d.soft else bad).append((path, s, ok))
            h = d.hist.get(path, [("base", None)])
            if h[-1][0] == "agent" and not any(x[0] == "person" for x in h) and h[-1][1] != h[0][1]:
                got += 1; back += s == h[0][1]
        if p.returncode not in (0, 3): bad.append(("exit", p.returncode, p.stderr))
        if differences(before, after):
            u = w.person("undo", "--yes"); diff = differences(before, w.snap())
            if diff: bad.append(("undo", u.returncode, u.stderr + repr(diff)))
            r = w.person("redo", "--yes"); diff = differences(after, w.snap())
            if diff: bad.append(("redo", r.returncode, r.stderr + repr(diff)))
        return d, p, bad, soft, got, back

if __name__ == "__main__":
    binary, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]); failures = softs = got = back = 0
    for seed in range(first, first + count):
        try: d, p, bad, soft, g, b = day(binary, seed)
        except Exception: traceback.print_exc(); print("seed", seed, "broke"); failures += 1; continue
        got += g; back += b; softs += len(soft)
        if bad:
            failures += 1
            if failures <= 5: print("seed", seed, "BAD", bad, *d.log, p.stdout, p.stderr, sep="\n  ")
    print(f"{count} days, {failures} bad, {softs} named exceptions, agent-only paths restored {back} of {got}")
