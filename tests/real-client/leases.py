"""Who held which file in a scenario: read from the product's database, compared with the promises.

Reads only. Everything that judges is a plain function over plain values, so that `selftest.py` can show it failing.
"""
from collections import defaultdict

import checkpoints


# -- reading ------------------------------------------------------------------------------------------------
class Held:
    """Leases and tickets of one world, with people called by names that are the same in every run."""

    def __init__(self, home, repo):
        read = lambda sql: checkpoints.rows(home, sql)  # noqa: E731
        if not read("SELECT 1 FROM sqlite_master WHERE name = 'leases'"):
            self.leases, self.tickets = [], []
            return
        actors = read("SELECT * FROM actors ORDER BY id")
        active = {row["actor_id"] for row in read("SELECT actor_id FROM turns")}
        names = checkpoints.called(actors, active)
        places = {row["id"]: row["root"] for row in read("SELECT id, CAST(root AS TEXT) AS root FROM worktrees")}

        def shown(row):
            """A path of the repository as it is, others with where they are."""
            root = places.get(row["worktree_id"])
            path = row.get("pattern") or row["path"]
            return path if root in (str(repo), None) else f"linked {path}"

        def name(actor):
            return names.get(actor, "person")

        self.leases = [{**row, "path": shown(row), "who": name(row["lent_to"] or row["actor_id"]), "owner": name(row["actor_id"])}
                       for row in read("SELECT * FROM leases ORDER BY id")]
        self.tickets = [{**row, "path": shown(row), "who": name(row["actor_id"])}
                        for row in read("SELECT * FROM tickets ORDER BY id")]

    def live(self):
        """`{path: who}` of what is held now; of what is lent, `who (from owner)`."""
        return {row["path"]: row["who"] if row["who"] == row["owner"] else f"{row['who']} (from {row['owner']})"
                for row in self.leases if row["ended_at"] is None}


# -- judging ------------------------------------------------------------------------------------------------
def differs(wanted, live):
    """Paths that are not held as wanted; `null` is nobody. Paths that are not named do not matter."""
    return [f"{path} is held by {live.get(path)!r}, expected {who!r}" for path, who in wanted.items() if live.get(path) != who]


def promised(expect, held):
    """`leases` and `tickets` of a scenario's expectations: `{path: [text]}`, complete and in order."""
    problems = []
    for what, rows, told in (("leases", held.leases, ended), ("tickets", held.tickets, waited)):
        if what in expect:
            found = defaultdict(list)
            for row in rows:
                found[row["path"]].append(told(row))
            problems += [f"{what} of {path}: {found.get(path, [])}, expected {expect[what].get(path, [])}"
                         for path in sorted({*found, *expect[what]}) if found.get(path, []) != expect[what].get(path, [])]
    return problems


def ended(row):
    writes = "1 write" if row["writes"] == 1 else f"{row['writes']} writes"
    return f"{row['owner']} {row['end_reason'] or 'held'}, {writes}"


def waited(row):
    return f"{row['who']} {row['state']}"


def sound(held):
    """Nothing is held when everybody is gone, every end has a reason, and no file ever had two holders."""
    problems = [f"lease of {row['owner']} on {row['path']} is still held" for row in held.leases
                if row["ended_at"] is None and row["owner"] != "person"]
    problems += [f"lease of {row['owner']} on {row['path']} ended without a reason" for row in held.leases
                 if row["ended_at"] is not None and not row["end_reason"]]
    by_path = defaultdict(list)
    for row in held.leases:
        if row["kind"] == "edit":
            by_path[row["path"]].append(row)
    for path, rows in by_path.items():
        for earlier, later in zip(rows, rows[1:]):
            if earlier["ended_at"] is not None and later["taken_at"] < earlier["ended_at"]:
                problems.append(f"{path} was taken by {later['owner']} before {earlier['owner']} gave it back")
    return problems
