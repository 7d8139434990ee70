"""What `lockstep diagnose` says of a run, shortened to what is scored."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from harness.recorded import BUILD

LIMIT_S = 120
MOST_FIXES = 5
PRINTED = ("rank_*.out", "rank_*.err", "launcher*.out", "launcher*.err")


def of_logs(run: pathlib.Path, *, with_stacks: bool = False) -> dict:
    """Only what the job printed is shown to it: the harness's own files tell the truth, as do the names of folders. The files are
    the job's own, not copies: of a job that still runs, that somebody has them open tells more."""
    with tempfile.TemporaryDirectory(prefix=".printed-", dir=run.parent) as scratch:
        logs = pathlib.Path(scratch) / "logs"
        logs.mkdir()
        for pattern in PRINTED:
            for path in run.glob(pattern):
                os.link(path, logs / path.name)
        if with_stacks:
            shutil.copytree(run / "stacks", logs / "stacks")
        return of(pathlib.Path("logs"), folder=pathlib.Path(scratch))


def of(path: pathlib.Path, *, folder: pathlib.Path | None = None) -> dict:
    begun = time.monotonic()
    try:
        done = subprocess.run([BUILD / "lockstep", "diagnose", "--json", path], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=LIMIT_S)
        verdict = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"error": f"still running after {LIMIT_S} s", "findings": []}
    except OSError as error:
        return {"error": f"it cannot be started: {error.strerror}", "findings": []}
    except ValueError:
        return {"error": f"exit status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}", "findings": []}
    return {"judged_s": round(time.monotonic() - begun, 3), "findings": [_short(one) for one in verdict["findings"]],
            "limits": verdict.get("limits", [])}


def _short(finding: dict) -> dict:
    return {key: finding[key] for key in ("leaf", "code", "scope", "confidence", "title")} | {
        "root_ranks": finding.get("root_ranks", []),
        "fixes": [fix["pattern"] for fix in finding.get("fixes", [])][:MOST_FIXES]}
