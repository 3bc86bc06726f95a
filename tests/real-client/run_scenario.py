#!/usr/bin/env python3
"""Run the real Claude Code client against a scripted API, offline, and check what happened.

    CLAUDE_BIN=path/to/claude  run_scenario.py scenarios/simple-edit [more ...]
    run_scenario.py --all --jobs 3                        # several at once, each in its own world
    run_scenario.py --all --product /abs/path/toprope     # with the product installed, and its log compared

Each scenario runs in its own temporary HOME and git repository. See README.md.
Exit status: 0 all passed, 1 a check failed, 77 the client is not installed.
"""
import argparse
import concurrent.futures
import multiprocessing
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import expectations  # noqa: E402
from scenario import Run  # noqa: E402

SKIP = 77
LONG = ("config-change-postponed", "detached-child", "file-and-config-change", "signal", "teammate")


def find_client():
    """CLAUDE_BIN, or an npm layout in the cache, below this folder or the current one; never a client on PATH."""
    given = os.environ.get("CLAUDE_BIN")
    if given:
        return given if os.access(given, os.X_OK) else None
    cache = Path(os.environ.get("TOPROPE_CACHE") or HERE.parent.parent / ".cache")
    for base in (cache / "client", HERE, Path.cwd()):
        for found in sorted(base.glob("node_modules/@anthropic-ai/claude-code-*/claude")):
            if os.access(found, os.X_OK):
                return str(found)
    return None


def attempt(folder, client, options):
    """One run of one scenario: what was wrong, and figures for the summary line."""
    run = Run(folder, client, options)
    try:
        run.execute()
        problems = expectations.unmet(run)
    except Exception as error:  # a scenario that breaks must not take the others along
        problems = [f"{type(error).__name__}: {error}"]
    finally:
        if run.product:
            problems += run.product.finish()
        run.finish(problems)
    logged = sorted({row.get("event") for row in run.product.rows}) if run.product else []
    return {"problems": problems, "seconds": run.seconds, "hooks": len(run.hooks), "api": len(run.api),
            "world": str(run.world), "registered": sorted(run.product.registered) if run.product else [],
            "logged": logged}


def run_one(folder, client, options):
    """A scenario with its allowed retries; every attempt is kept in the result, none is hidden."""
    started, attempts = time.time(), []
    while len(attempts) <= options.retries:
        attempts.append(attempt(folder, client, options))
        if not attempts[-1]["problems"]:
            break
    return {"name": folder.name, "attempts": attempts, "wall": time.time() - started}


def report(result, options):
    last = result["attempts"][-1]
    again = f"  passed on attempt {len(result['attempts'])}" if len(result["attempts"]) > 1 and not last["problems"] else ""
    kept = f"  kept {last['world']}" if options.keep else ""
    print(f"{'FAIL' if last['problems'] else 'ok  '} {result['name']:28} {result['wall']:5.1f}s"
          f"  {last['hooks']:3} hooks  {last['api']:2} api{again}{kept}", flush=True)
    for number, tried in enumerate(result["attempts"], 1):
        for problem in tried["problems"]:
            print(f"       - {f'attempt {number}: ' if options.retries else ''}{problem}", flush=True)


def coverage(results):
    """Registered events that reached the log in no scenario at all."""
    tries = [tried for result in results for tried in result["attempts"]]
    registered = {event for tried in tries for event in tried["registered"]}
    logged = {event for tried in tries for event in tried["logged"]}
    print(f"{len(registered & logged)} of {len(registered)} registered events arrived in the log")
    return [f"{event} is registered but never arrived" for event in sorted(registered - logged)]


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("scenarios", nargs="*", help="scenario folders")
    ap.add_argument("--all", action="store_true", help="every folder under scenarios/, with --product also product/")
    ap.add_argument("--out", default="real-client-out", help="where evidence goes (default: %(default)s)")
    ap.add_argument("--jobs", type=int, default=1, help="scenarios at a time (default: %(default)s)")
    ap.add_argument("--retries", type=int, choices=(0, 1), default=0,
                    help="second attempts of a failed scenario, shown in the output (default: %(default)s)")
    ap.add_argument("--product", help="absolute path of the product: install it, compare its log, stop its daemon")
    ap.add_argument("--scope", choices=("user", "local", "project"), default="user",
                    help="where the product's init writes its hooks (default: %(default)s)")
    ap.add_argument("--hook-cmd", help="also register this command for every event; {event} is replaced")
    ap.add_argument("--setup", help="shell command run in the scenario repository before the first commit")
    ap.add_argument("--keep", action="store_true", help="keep the temporary HOME and repository")
    return ap.parse_args()


def chosen(options):
    folders = [Path(s) for s in options.scenarios]
    missing = [str(f) for f in folders if not (f / "scenario.json").is_file()]
    if missing:
        sys.exit(f"no scenario.json in {', '.join(missing)}")
    for group in ("scenarios", "product") if options.all else ():
        folders += sorted(p.parent for p in (HERE / group).glob("*/scenario.json"))
    runnable = [f for f in folders if options.product or f.resolve().parent.name != "product"]
    if len(runnable) < len(folders):
        print(f"not run: {len(folders) - len(runnable)} product scenarios (give --product)")
    # Long ones first, so that none of them is left running alone at the end.
    return sorted(runnable, key=lambda f: not (f.name.startswith("interactive-") or f.name in LONG)) \
        if options.jobs > 1 else runnable


def main():
    options = arguments()
    client = find_client()
    if not client:
        print("SKIP real client: no Claude Code client. Install it with npm (see README.md) and set CLAUDE_BIN.")
        return SKIP
    folders, results, started = chosen(options), [], time.time()
    spawn = multiprocessing.get_context("spawn")  # a process per scenario: terminals and threads do not mix
    with concurrent.futures.ProcessPoolExecutor(max(options.jobs, 1), mp_context=spawn) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run_one, f, client, options) for f in folders]):
            results.append(done.result())
            report(results[-1], options)
    problems = coverage(results) if options.product and options.all else []
    for problem in problems:
        print(f"FAIL {problem}")
    failed = sum(1 for r in results if r["attempts"][-1]["problems"])
    again = sum(1 for r in results if len(r["attempts"]) > 1 and not r["attempts"][-1]["problems"])
    print(f"{len(results) - failed} passed, {again} of them on attempt 2, {failed} failed, in {time.time() - started:.0f} s")
    return 1 if failed or problems else 0


if __name__ == "__main__":
    sys.exit(main())
