"""One scenario: its temporary world, the scripted API, the client's processes, and what they leave behind."""
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import checkpoints
import leases
import mock_api
import product

HERE = Path(__file__).resolve().parent
API_KEY = "sk-ant-dummy-0000000000000000000000000000"
SETUP_SECONDS = 60
EVENTS = """PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact
PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle
TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange InstructionsLoaded CwdChanged
FileChanged DirectoryAdded MessageDisplay""".split()
# WorktreeCreate and WorktreeRemove are not among them: registering one replaces git's own worktree handling.


def fill(value, variables):
    if isinstance(value, str):
        return re.sub(r"\{\{(\w+)\}\}", lambda m: str(variables.get(m[1], m[0])), value)
    if isinstance(value, list):
        return [fill(v, variables) for v in value]
    if isinstance(value, dict):
        return {k: fill(v, variables) for k, v in value.items()}
    return value


def load_json(path, default=None):
    if not path.exists():
        return default
    return json.loads(path.read_text(encoding="utf-8"))


def read_jsonl(path):
    if not path.exists():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            rows.append({"_raw": line})
    return rows


class Run:
    """One scenario: temporary world, mock API, client process(es), collected evidence."""

    def __init__(self, folder, client, options):
        self.folder, self.client = Path(folder), client
        self.out = (Path(options.out) / self.folder.name).resolve()
        self.hook_cmd, self.setup, self.keep = options.hook_cmd, options.setup, options.keep
        self.spec = load_json(self.folder / "scenario.json", {})
        self.world = Path(tempfile.mkdtemp(prefix="rc-")).resolve()
        self.home, self.repo = self.world / "home", self.world / "repo"
        self.config = self.home / ".claude"
        self.hook_log, self.api_log = self.out / "hooks.jsonl", self.out / "api.jsonl"
        self.screen, self.codes, self.seconds = "", [], 0.0
        self.hooks, self.api, self.stream = [], [], []
        self.git_before, self.git_after, self.unchanged, self.script = None, None, {}, None
        self.product = product.Product(options.product, options.scope, self) if options.product else None
        self.variables = {
            "cwd": str(self.repo), "home": str(self.home), "config": str(self.config),
            "scenario": str(self.folder.resolve()), "python": sys.executable,
            "record": f"{sys.executable} -I -S {HERE / 'record_hook.py'} {self.hook_log}",
            "act": f"{sys.executable} -I -S {HERE / 'act_hook.py'} {self.folder.resolve() / 'answers.json'}",
            "recorder_py": str(HERE / "record_hook.py"), "mini_mcp": str(HERE / "mini_mcp.py"), "hook_log": str(self.hook_log),
            "out": str(self.out), "harness": str(HERE), "world": str(self.world),
            "product": str(options.product), "toprope_home": str(self.world / "toprope"),
        }
        if self.product:
            self.variables |= {"installed": self.product.installed, "product_settings": str(self.product.settings_file())}

    # -- set-up -----------------------------------------------------------------
    def prepare(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        for d in (self.config, self.repo):
            d.mkdir(parents=True)
        git = ["git", "-C", str(self.repo), "-c", "init.defaultBranch=main"]
        subprocess.run([*git, "init", "-q"], check=True, env=self.env())
        (self.repo / "README.md").write_text("scenario repository\n")
        if (self.folder / "files").is_dir():
            shutil.copytree(self.folder / "files", self.repo, dirs_exist_ok=True)
        # What the client would write after its first-run dialogs (interactive mode needs it).
        (self.config / ".claude.json").write_text(json.dumps({
            "hasCompletedOnboarding": True, "theme": "dark", "numStartups": 5,
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [API_KEY[-20:]], "rejected": []},
            "projects": {str(self.repo): {"hasTrustDialogAccepted": True,
                                          "hasCompletedProjectOnboarding": True}}}))
        # "user" scope writes the settings below HOME, "project" (default) commits them to the repository.
        settings = self.settings()
        scope = self.config if self.spec.get("settings_scope") == "user" else self.repo / ".claude"
        scope.mkdir(exist_ok=True)
        (scope / "settings.json").write_text(json.dumps(settings, indent=1))
        (self.out / "settings.json").write_text(json.dumps(settings, indent=1))
        if self.setup:  # a product's own installer, run as a user would run it
            subprocess.run(self.setup, shell=True, check=True, cwd=self.repo, env=self.env(), timeout=SETUP_SECONDS)
        if self.product:
            self.product.install()
        subprocess.run([*git, "add", "-A"], check=True, env=self.env())
        subprocess.run([*git, "commit", "-qm", "initial"], check=True, env=self.env())
        if self.product:
            self.git_before = checkpoints.repository(self.repo)
        (self.out / "vars.json").write_text(json.dumps(self.variables, indent=1))

    def settings(self):
        own = fill(load_json(self.folder / "settings.json", {}), self.variables)
        hooks = {}
        wanted = self.spec.get("record", "all")
        wanted = EVENTS if wanted == "all" else wanted
        for event in wanted:
            entry = {"type": "command", "command": self.variables["record"] + " recorder"}
            hooks.setdefault(event, []).append({"hooks": [entry]})
        if self.hook_cmd:
            for event in EVENTS:
                hooks.setdefault(event, []).append(
                    {"hooks": [{"type": "command", "command": self.hook_cmd.replace("{event}", event)}]})
        for event, groups in own.get("hooks", {}).items():
            hooks.setdefault(event, []).extend(groups)
        return {**own, "hooks": hooks}

    def env(self, port=None):
        env = {
            "HOME": str(self.home), "CLAUDE_CONFIG_DIR": str(self.config),
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "SHELL": "/bin/bash",
            "TERM": "xterm-256color", "TMPDIR": str(self.world), "USER": "tester",
            "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.invalid",
            "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.invalid",
            "GIT_CONFIG_NOSYSTEM": "1", "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_BUG_COMMAND": "1",
            "DISABLE_COST_WARNINGS": "1", "CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY": "1",
            "no_proxy": "127.0.0.1,localhost", "NO_PROXY": "127.0.0.1,localhost",
        }
        if port:
            env["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{port}"
            env["ANTHROPIC_API_KEY"] = API_KEY
        if self.product:
            env = self.product.environment(env)
        env.update(fill(self.spec.get("env", {}), self.variables))
        return env

    # -- running ----------------------------------------------------------------
    def execute(self):
        script = self.script = mock_api.Script(load_json(self.folder / "script.json", {}), self.variables)
        script.ready = self.is_at_work
        server = mock_api.Server(script, self.api_log)
        self.variables["port"] = server.server_address[1]
        self.prepare()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = self.env(server.server_address[1])
        started = time.time()
        try:
            for number, step in enumerate(self.spec.get("steps") or self.single_step()):
                self.run_step(step, number, env)
        finally:
            server.shutdown()
            server.server_close()
        self.seconds = time.time() - started
        self.variables = {**script.variables, **self.variables}  # what the model's side captured
        if self.product:
            self.git_after = checkpoints.repository(self.repo)
        self.collect()

    def single_step(self):
        return [{key: self.spec[key] for key in ("prompt", "interactive") if key in self.spec}]

    def run_step(self, step, number, env):
        self.act(step)
        if "prompt" in step:
            self.run_headless(step, number, env)
        if "interactive" in step:
            self.run_interactive(fill(step.get("args", self.spec.get("args", [])), self.variables), step["interactive"], env)

    def act(self, step):
        """What a person does beside the agent: writes files, types commands of the product."""
        step = fill(step, self.variables)
        for name, content in {**step.get("write", {}), **step.get("program", {})}.items():
            (self.repo / name).parent.mkdir(parents=True, exist_ok=True)
            (self.repo / name).write_text(content)
        for name in step.get("program", {}):
            (self.repo / name).chmod(0o755)
        if "shell" in step:
            self.in_shell(step["shell"])
        if self.product and ("product" in step or "settle" in step):
            late = self.product.wait_until_quiet()
            if late:
                raise RuntimeError("; ".join(late))
        if self.product and "product" in step:
            self.heed(step, step["product"], self.product.command(*step["product"], exit_code=step.get("exit", 0)))
        if self.product and "terminal" in step:
            self.heed(step, step["terminal"], self.product.at_terminal(step["terminal"], step.get("types", ""), step.get("exit", 0)))
        if self.product and "held" in step:
            self.see_held(step["held"], step.get("within", 5))
        for pattern in step.get("unchanged", []):
            self.unchanged.update({path: path.read_bytes() for path in self.config.glob(pattern)})

    def in_shell(self, line):
        """A line that the person types in a shell of theirs, in the repository."""
        done = subprocess.run(line, shell=True, cwd=self.repo, env=self.env(), text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SETUP_SECONDS)
        if done.returncode != 0:
            raise RuntimeError(f"{line} exited with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")

    def see_held(self, wanted, seconds):
        """These files must be held so within this time."""
        deadline = time.time() + seconds
        while wrong := leases.differs(wanted, self.product.held().live()):
            if time.time() > deadline:
                raise RuntimeError(f"after {seconds} s: {'; '.join(wrong)}")
            time.sleep(0.05)

    def heed(self, step, command, said):
        """What a command said must be what the step expects; parts of it are remembered."""
        for text in step.get("says", []):
            if text not in said:
                raise RuntimeError(f"{' '.join(command)} does not say {text!r}: {said.strip()}")
        for name, pattern in step.get("capture", {}).items():
            found = re.search(pattern, said)
            self.variables[name] = found[1] if found else f"no {name}"

    def run_headless(self, step, number, env):
        args = fill(step.get("args", self.spec.get("args", [])), self.variables)
        # --verbose is what makes stream-json include every message, hook events too.
        cmd = [self.client, "-p", fill(step["prompt"], self.variables),
               "--output-format", "stream-json", "--verbose", *args]
        with open(self.out / f"stream-{number}.jsonl", "wb") as out, \
                open(self.out / f"stderr-{number}.txt", "wb") as err:
            proc = subprocess.Popen(cmd, cwd=self.repo, env=env, stdin=subprocess.DEVNULL,
                                    stdout=out, stderr=err, start_new_session=True)
            try:
                for place, deed in enumerate(step.get("meanwhile", [])):
                    self.wait_until_at_work(deed)
                    self.run_step(deed, f"{number}-{place}", env)
                if "signal" in step:
                    self.wait_until_at_work(step)
                    time.sleep(step.get("kill_after", 0))
                    proc.send_signal(getattr(signal, step["signal"]))
                code = proc.wait(timeout=self.spec.get("timeout", 60))
            except subprocess.TimeoutExpired:
                os.killpg(proc.pid, signal.SIGKILL)
                code = "timeout"
            except RuntimeError:  # what was done meanwhile went wrong; the client has to end all the same
                os.killpg(proc.pid, signal.SIGKILL)
                proc.wait()
                raise
        self.codes.append(code)

    def wait_until_at_work(self, step, seconds=15):
        """Waits until an event has fired, so many times, or a file is there with something in it."""
        deadline = time.time() + seconds
        while time.time() < deadline and not self.is_at_work(step):
            time.sleep(0.05)

    def is_at_work(self, step):
        """Whether everything has come that a step, or a turn of the model, waits for."""
        if "wait_file" in step:
            path = self.repo / step["wait_file"]
            if not path.exists() or path.stat().st_size == 0:
                return False
        if any(self.script.position.get(name, 0) < times for name, times in step.get("wait_asked", {}).items()):
            return False
        if self.product and "wait_held" in step and leases.differs(step["wait_held"], self.product.held().live()):
            return False
        return "wait_event" not in step or self.fired(step["wait_event"]) >= step.get("times", 1)

    def fired(self, event):
        return sum(event in (row.get("input", {}).get("hook_event_name"), self.event_name(row))
                   for row in read_jsonl(self.hook_log) if "input" in row)

    def run_interactive(self, args, script, env):
        """Drive the full-screen client through a pseudo-terminal with scripted keys."""
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.repo)
            os.execve(self.client, [self.client, *args], {**env, "COLUMNS": "140", "LINES": "45"})
        import fcntl
        import struct
        import termios
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 140, 0, 0))

        def pump(seconds, until=None, start=0):
            end = time.time() + seconds
            while time.time() < end:
                ready, _, _ = select.select([fd], [], [], 0.05)
                if ready:
                    try:
                        data = os.read(fd, 65536)
                    except OSError:
                        return "closed"
                    if not data:
                        return "closed"
                    self.screen += data.decode("utf-8", "replace")
                if until and until(start):
                    return "found"
            return "timeout"

        def plain(start):
            text = re.sub(r"\x1b\[\d*C", " ", self.screen[start:])
            return re.sub(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-_=>])", "", text)

        mark, state = 0, "found"
        for step in script:
            step = fill(step, self.variables)
            if "wait_for" in step:
                pattern = re.compile(step["wait_for"])
                state = pump(step.get("timeout", 15), lambda s: pattern.search(plain(s)), mark)
                if state != "found" and not step.get("optional"):
                    self.codes.append(f"screen never showed {step['wait_for']!r} ({state})")
                    break
            if "wait_event" in step:
                name = step["wait_event"]
                state = pump(step.get("timeout", 15), lambda s: self.is_at_work(step))
                if state != "found" and not step.get("optional"):
                    self.codes.append(f"event {name} never fired ({state})")
                    break
            if "wait_file" in step:
                state = pump(step.get("timeout", 15), lambda s: self.is_at_work(step))
                if state != "found":
                    self.codes.append(f"file {step['wait_file']} never came ({state})")
                    break
            if "sleep" in step:
                pump(step["sleep"])
            try:
                self.act(step)
            except (RuntimeError, subprocess.SubprocessError) as error:  # the client still has to be left
                self.codes.append(str(error))
                break
            if "send" in step:
                mark = len(self.screen)
                os.write(fd, step["send"].encode())
                pump(0.3)
        # leave: /exit unless the script already did
        try:
            for key in ("\x1b", "\x15", "/exit", "\r"):  # Esc, clear the line, leave
                os.write(fd, key.encode())
                if pump(0.5) == "closed":
                    break
            pump(4)
        except OSError:
            pass
        try:
            done, status = os.waitpid(pid, os.WNOHANG)
            if not done:
                os.kill(pid, signal.SIGTERM)
                pump(2)
                done, status = os.waitpid(pid, os.WNOHANG)
            if not done:
                os.kill(pid, signal.SIGKILL)
                done, status = os.waitpid(pid, 0)
            self.codes.append(os.waitstatus_to_exitcode(status))
        except ChildProcessError:
            self.codes.append(0)
        os.close(fd)
        (self.out / "screen.txt").write_text(plain(0))

    # -- evidence ----------------------------------------------------
    def collect(self):
        self.hooks, self.api = read_jsonl(self.hook_log), read_jsonl(self.api_log)
        self.stream = []
        for path in sorted(self.out.glob("stream-*.jsonl")):
            self.stream += read_jsonl(path)
        git = lambda *a: subprocess.run(["git", "-C", str(self.repo), *a], env=self.env(),  # noqa: E731
                                        capture_output=True, text=True).stdout
        (self.out / "git.txt").write_text(
            git("status", "--porcelain", "-uall") + "\n" + git("log", "--oneline", "--all") + "\n"
            + git("worktree", "list") + "\n" + git("diff"))
        if (self.config / "projects").is_dir():
            shutil.copytree(self.config / "projects", self.out / "projects", dirs_exist_ok=True)

    @staticmethod
    def event_name(row):
        """`Event`, `Event:Tool`, with `@agent` appended when a subagent caused it."""
        data = row["input"]
        name = data.get("hook_event_name", "?")
        if data.get("tool_name"):
            name += ":" + data["tool_name"]
        return name + ("@agent" if data.get("agent_id") else "")

    def event_names(self):
        return [self.event_name(row) for row in self.hooks if row.get("label") == "recorder"]

    def recorded(self):
        """Payloads the recorder saw."""
        return [row["input"] for row in self.hooks if row.get("label") == "recorder"]

    def expectations(self):
        return fill(self.spec.get("expect", {}), self.variables)

    def finish(self, problems):
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / "summary.json").write_text(json.dumps({
            "scenario": self.folder.name, "passed": not problems, "problems": problems,
            "seconds": round(self.seconds, 2), "exit_codes": self.codes,
            "events": self.event_names(), "api_requests": len(self.api)}, indent=1))
        if not self.keep:
            shutil.rmtree(self.world, ignore_errors=True)
