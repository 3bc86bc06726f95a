"""Drives `toprope hook claude-code` as the client would, from outside. A World is a temporary home and repository; an Agent is a
session whose hooks run below a process of its own; person(...) runs a toprope command as the person. snapshot() is the oracle."""
import hashlib, json, os, shutil, stat, subprocess, sys, tempfile, uuid, itertools

AGENT = r'''
import json, os, subprocess, sys
for line in sys.stdin:
    r = json.loads(line)
    env = dict(os.environ); env.update(r["env"]); env["CLAUDE_PID"] = str(os.getpid())
    p = subprocess.run(r["argv"], input=r["input"].encode("utf-8", "surrogateescape"), capture_output=True, cwd=r["cwd"], env=env)
    print(json.dumps({"code": p.returncode, "out": p.stdout.decode("utf-8", "replace"), "err": p.stderr.decode("utf-8", "replace")}), flush=True)
'''

def snapshot(root, skip=(".git",)):
    """path -> (type, mode, bytes or link text); the oracle."""
    out = {}
    for folder, dirs, files in os.walk(root):
        dirs[:] = [d for d in dirs if not (folder == root and d in skip)]
        for name in dirs + files:
            p = os.path.join(folder, name); st = os.lstat(p); rel = os.path.relpath(p, root)
            if stat.S_ISLNK(st.st_mode): out[rel] = ("link", 0, os.readlink(p))
            elif stat.S_ISREG(st.st_mode): out[rel] = ("file", stat.S_IMODE(st.st_mode), open(p, "rb").read())
            elif stat.S_ISDIR(st.st_mode): out[rel] = ("dir", 0, "")
    return out

def differences(a, b, dirs=False):
    keys = sorted(set(a) | set(b))
    return [(k, a.get(k), b.get(k)) for k in keys if a.get(k) != b.get(k) and (dirs or "dir" not in ((a.get(k) or b.get(k))[0],))]

class World:
    def __init__(self, binary, git=True, init=True, keep=False):
        self.binary = os.path.abspath(binary)
        self.root = tempfile.mkdtemp(prefix="days-"); self.home = os.path.join(self.root, "home"); self.repo = os.path.join(self.root, "repo")
        os.makedirs(self.home); os.makedirs(self.repo)
        self.env = {"PATH": os.environ["PATH"], "HOME": self.home, "TOPROPE_HOME": os.path.join(self.root, "state"), "LANG": "C.UTF-8",
                    "GIT_AUTHOR_NAME": "P", "GIT_AUTHOR_EMAIL": "p@example.org", "GIT_COMMITTER_NAME": "P", "GIT_COMMITTER_EMAIL": "p@example.org"}
        self.agents = []
        if git:
            self.git("init", "-q", "-b", "work"); self.write("README.md", "hello\n"); self.write("src/a.txt", "a\n"); self.write("src/b.txt", "b\n")
            self.git("add", "-A"); self.git("commit", "-q", "-m", "first")
        if init:
            p = self.person("init", "--scope", "user"); assert p.returncode == 0, p.stderr + p.stdout
    def path(self, rel): return os.path.join(self.repo, rel)
    def write(self, rel, text, mode=None):
        p = self.path(rel); os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, "wb" if isinstance(text, bytes) else "w") as f: f.write(text)
        if mode is not None: os.chmod(p, mode)
    def read(self, rel): return open(self.path(rel)).read()
    def git(self, *args, check=True):
        p = subprocess.run(["git", *args], cwd=self.repo, env=self.env, capture_output=True, text=True)
        if check and p.returncode: raise RuntimeError(p.stderr)
        return p.stdout
    def sh(self, command, env=None, cwd=None):
        return subprocess.run(["bash", "-c", command], cwd=cwd or self.repo, env={**self.env, **(env or {})}, capture_output=True, text=True)
    def person(self, *args, cwd=None, input=None, env=None):
        return subprocess.run([self.binary, *args], cwd=cwd or self.repo, env={**self.env, **(env or {})}, capture_output=True, text=True, input=input)
    def snap(self): return snapshot(self.repo)
    def agent(self, **kw): a = Agent(self, **kw); self.agents.append(a); return a
    def close(self):
        for a in self.agents: a.kill()
        self.person("daemon", "stop"); shutil.rmtree(self.root, ignore_errors=True)
    def __enter__(self): return self
    def __exit__(self, *_): self.close()

_ids = itertools.count(1)

class Agent:
    """One client session. `sub` makes a view of it as a subagent."""
    def __init__(self, world, session=None, cwd=None, attended=False, start=True, mode="bypassPermissions"):
        self.w = world; self.session = session or str(uuid.uuid4()); self.cwd = cwd or world.repo; self.agent_id = None; self.mode = mode
        self.prompt_id = None; self.attended = attended; self.batch = []
        self.transcript = os.path.join(world.home, ".claude/projects/p", self.session + ".jsonl")
        env = {k: v for k, v in world.env.items()}
        env.update({"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.session, "CLAUDE_CODE_ENTRYPOINT": "cli" if attended else "sdk-cli",
                    "CLAUDE_CODE_SESSION_ATTENDED": "1" if attended else "0", "CLAUDE_PROJECT_DIR": world.repo})
        self.proc = subprocess.Popen([sys.executable, "-c", AGENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, text=True, start_new_session=True)
        self.last = None
        if start: self.event("SessionStart", source="startup")
    def sub(self, kind="general-purpose"):
        s = object.__new__(Agent); s.__dict__.update(self.__dict__); s.agent_id = "a" + uuid.uuid4().hex[:16]; s.kind = kind; s.batch = []
        s.event("SubagentStart"); return s
    def run(self, argv, payload, env=None, cwd=None):
        self.proc.stdin.write(json.dumps({"argv": argv, "input": payload, "env": env or {}, "cwd": cwd or self.cwd}) + "\n"); self.proc.stdin.flush()
        return json.loads(self.proc.stdout.readline())
    def event(self, name, env=None, **fields):
        p = {"session_id": self.session, "transcript_path": self.transcript, "cwd": self.cwd, "hook_event_name": name}
        if self.prompt_id: p["prompt_id"] = self.prompt_id
        if name not in ("SessionStart", "SessionEnd", "SubagentStart"): p["permission_mode"] = self.mode
        if self.agent_id: p["agent_id"] = self.agent_id; p["agent_type"] = self.kind
        p.update(fields)
        r = self.run([self.w.binary, "hook", "claude-code"], json.dumps(p), env)
        r["json"] = json.loads(r["out"]) if r["out"].strip() else None
        self.last = r; return r
    def prompt(self, text="Go.", same=False):
        if not same: self.prompt_id = str(uuid.uuid4())
        return self.event("UserPromptSubmit", prompt=text)
    def stop(self, message="done"):
        if self.agent_id: return self.event("SubagentStop", stop_hook_active=False, last_assistant_message=message, background_tasks=[], session_crons=[], agent_transcript_path=self.transcript)
        return self.event("Stop", stop_hook_active=False, last_assistant_message=message, background_tasks=[], session_crons=[])
    def end(self): return self.event("SessionEnd", reason="other")
    def kill(self):
        try: self.proc.kill(); self.proc.wait(5)
        except Exception: pass
    # -- tools ---------------------------------------------------------------------------------------------------------
    def pre(self, tool, tool_input, id=None):
        id = id or "toolu_c_%06d" % next(_ids)
        r = self.event("PreToolUse", tool_name=tool, tool_input=tool_input, tool_use_id=id)
        out = ((r["json"] or {}).get("hookSpecificOutput") or {})
        r["decision"] = out.get("permissionDecision"); r["reason"] = out.get("permissionDecisionReason"); r["id"] = id
        r["input"] = out.get("updatedInput") or tool_input; r["says"] = (r["json"] or {}).get("systemMessage"); r["context"] = out.get("additionalContext")
        return r
    def post(self, tool, tool_input, id, response, failed=None):
        if failed is not None: r = self.event("PostToolUseFailure", tool_name=tool, tool_input=tool_input, tool_use_id=id, error=failed, is_interrupt=False, duration_ms=20)
        else: r = self.event("PostToolUse", tool_name=tool, tool_input=tool_input, tool_use_id=id, tool_response=response, duration_ms=20)
        self.batch.append({"tool_name": tool, "tool_input": tool_input, "tool_use_id": id, "tool_response": failed or "ok"}); return r
    def end_batch(self):
        calls, self.batch = self.batch, []
        return self.event("PostToolBatch", tool_calls=calls)
    def do_write(self, rel, text, batch=True, force=False):
        path = rel if os.path.isabs(rel) else self.w.path(rel); i = {"file_path": path, "content": text}
        r = self.pre("Write", i)
        if r["decision"] in ("deny", "ask") and not force:
            self.batch.append({"tool_name": "Write", "tool_input": i, "tool_use_id": r["id"], "tool_response": "hook error"}); batch and self.end_batch(); return r
        os.makedirs(os.path.dirname(path), exist_ok=True); made = not os.path.exists(path); open(path, "w").write(text)
        self.post("Write", i, r["id"], {"type": "create" if made else "update", "filePath": path, "content": text, "structuredPatch": []}); batch and self.end_batch(); return r
    def do_edit(self, rel, old, new, batch=True, force=False):
        path = self.w.path(rel); i = {"file_path": path, "old_string": old, "new_string": new}
        r = self.pre("Edit", i)
        if r["decision"] in ("deny", "ask") and not force:
            self.batch.append({"tool_name": "Edit", "tool_input": i, "tool_use_id": r["id"], "tool_response": "hook error"}); batch and self.end_batch(); return r
        text = open(path).read().replace(old, new, 1); open(path, "w").write(text)
        self.post("Edit", i, r["id"], {"filePath": path, "oldString": old, "newString": new, "structuredPatch": []}); batch and self.end_batch(); return r
    def do_read(self, rel, batch=True):
        path = self.w.path(rel); r = self.pre("Read", {"file_path": path})
        self.post("Read", {"file_path": path}, r["id"], {"type": "text", "file": {"filePath": path, "content": open(path).read()}}); batch and self.end_batch(); return r
    def do_bash(self, command, during=None, listed=True, batch=True, background=False, tool="Bash", force=False):
        """Runs the command for real between its hooks. `during`: called (as the person) after the hook and before the command's end.
        `listed`: the client's bashEditDiff, as a difference of two snapshots (exit 0 only; covers what git does not ignore)."""
        i = {"command": command, "description": "run"}
        if background: i["run_in_background"] = True
        r = self.pre(tool, i)
        if r["decision"] in ("deny", "ask") and not force:
            self.batch.append({"tool_name": tool, "tool_input": i, "tool_use_id": r["id"], "tool_response": "hook error"}); batch and self.end_batch(); return r
        before = self.visible()
        p = subprocess.run(["bash", "-c", r["input"]["command"]], cwd=self.cwd, env={**self.w.env, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.session}, capture_output=True, text=True)
        if during: during()
        after = self.visible(); r["run"] = p
        response = {"stdout": p.stdout, "stderr": p.stderr, "interrupted": False, "isImage": False, "noOutputExpected": False}
        changed = sorted(k for k in set(before) | set(after) if before.get(k) != after.get(k))
        if listed and changed: response["bashEditDiff"] = {"files": [{"filePath": self.w.path(k), "hunks": [], **({"created": True} if k not in before else {}), **({"deleted": True} if k not in after else {})} for k in changed], "moreFiles": 0, "changedFiles": [self.w.path(k) for k in changed]}
        self.post(tool, r["input"], r["id"], response, failed=("Exit code %d" % p.returncode) if p.returncode else None); batch and self.end_batch(); return r
    def visible(self):
        p = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=self.w.repo, env=self.w.env, capture_output=True)
        out = {}
        for k in p.stdout.decode("utf-8", "surrogateescape").split("\0"):
            f = self.w.path(k)
            if k and os.path.islink(f): out[k] = os.readlink(f)
            elif k and os.path.isfile(f): out[k] = hashlib.sha1(open(f, "rb").read()).hexdigest()
        return out
