"""A temporary home and repository with the product installed, and the person who works in it."""
import os
import shutil
import stat
import subprocess
import tempfile

FIRST_FILES = {"README.md": "hello\n", "src/a.txt": "a\n", "src/b.txt": "b\n"}


class World:
    """Everything a day happens in. It is gone when the day is over, with every process that was started for it."""

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.root = tempfile.mkdtemp(prefix="days-")
        self.home, self.repo = os.path.join(self.root, "home"), os.path.join(self.root, "repo")
        self.env = self.environment()
        self.agents = []
        for folder in (self.home, self.repo):
            os.makedirs(folder)
        self.make_repository()
        installed = self.toprope("init", "--scope", "user")
        assert installed.returncode == 0, installed.stderr + installed.stdout

    def environment(self):
        """Nothing of the caller's but where programs are."""
        name, address = "P", "p@example.org"
        return {"PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8",
                "TOPROPE_HOME": os.path.join(self.root, "state"),
                "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": address,
                "GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": address}

    def make_repository(self):
        self.git("init", "-q", "-b", "work")
        for name, text in FIRST_FILES.items():
            self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for agent in self.agents:
            agent.kill()
        self.toprope("daemon", "stop")
        shutil.rmtree(self.root, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.repo, name)

    def read(self, name):
        """A file's text; None where there is none."""
        path = self.path(name)
        if not os.path.exists(path):
            return None
        with open(path) as file:
            return file.read()

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def git(self, *arguments):
        done = subprocess.run(["git", *arguments], cwd=self.repo, env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def shell(self, command):
        """A command that really runs in the repository."""
        return subprocess.run(["bash", "-c", command], cwd=self.repo, env=self.env, capture_output=True, text=True)

    def toprope(self, *arguments):
        """A command of the product, typed by the person."""
        return subprocess.run([self.binary, *arguments], cwd=self.repo, env=self.env, capture_output=True, text=True)

    def snapshot(self):
        """Every file and link of the repository: path -> (type, mode, bytes or where the link leads)."""
        found = {}
        for folder, folders, files in os.walk(self.repo):
            if folder == self.repo:
                folders.remove(".git")
            for name in folders + files:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                inside = os.path.relpath(path, self.repo)
                if stat.S_ISLNK(status.st_mode):
                    found[inside] = ("link", 0, os.readlink(path))
                elif stat.S_ISREG(status.st_mode):
                    with open(path, "rb") as file:
                        found[inside] = ("file", stat.S_IMODE(status.st_mode), file.read())
        return found


def differences(before, after):
    """Paths that two snapshots differ in, with what each has there."""
    return [(path, before.get(path), after.get(path)) for path in sorted({*before, *after})
            if before.get(path) != after.get(path)]
