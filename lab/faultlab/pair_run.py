"""One real run of a pair, alone or under `lockstep run`: how it ended, when, and what Lockstep said meanwhile."""

import pathlib
import re
import time
from dataclasses import dataclass, field, replace

from harness.errors import LabError, RunTimeout
from harness.fault_spec import parse_fault
from harness.job_run import JobRun
from harness.run_spec import RunSpec
from faultlab.fault_file import Pair

PROGRESS = re.compile(r"\blab rank=\d+ (ready|step=|done)")
LIVE = re.compile(r"lockstep: [\d.]+ s: (?P<text>.*)")


@dataclass
class Heard:
    """The moments that matter, on the clock of the harness."""
    progress_at: float | None = None
    live: list[tuple[float, str]] = field(default_factory=list)

    def line(self, name: str, stream: str, text: str):
        if name.startswith("rank_"):
            if PROGRESS.search(text) and not self.live:
                self.progress_at = time.monotonic()
        elif stream == "err" and (match := LIVE.match(text)):
            self.live.append((time.monotonic(), match["text"]))


def run_pair(pair: Pair, folder: pathlib.Path, *, record: bool, environ: dict[str, str] | None = None, meanwhile=None,
             on_hang=None) -> dict:
    """A job that hangs is ended at its limit; on_hang() may look at it before. meanwhile(run) may before it is waited for."""
    heard = Heard()
    spec = _spec(pair, folder, record, environ or {})
    begun = time.monotonic()
    try:
        with JobRun(spec, folder, heard.line, on_hang) as run:
            if meanwhile:
                meanwhile(run)
            status = str(run.wait().status)
    except RunTimeout:
        status = "hung"
    return {"status": status, "seconds": round(time.monotonic() - begun, 2), "cpu_s": run.cpu_s,
            "live": [{"after_s": round(at - (heard.progress_at or begun), 2), "text": text} for at, text in heard.live]}


def _spec(pair: Pair, folder: pathlib.Path, record: bool, environ: dict[str, str]) -> RunSpec:
    job = pair.job
    if pair.patches:
        job = replace(job, script=patched_script(pair, folder.with_name(f"{folder.name}-script")))
    return RunSpec(job, launcher=pair.launcher, hosts=pair.hosts, steps=pair.steps, seed=pair.seed, environ=environ,
                   rank_environ=pair.rank_environ, rank_envs=pair.rank_envs, host_options=list(pair.host_options),
                   faults=[parse_fault(text) for text in pair.strikes], timeout_s=pair.limit_s, stall_s=pair.stall_s,
                   record=record, record_flags=list(pair.record_flags) if record else [])


def patched_script(pair: Pair, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the job's script in which each patch has found its place, once."""
    text = pair.job.script.read_text()
    for patch in pair.patches:
        if text.count(patch.find) != 1:
            raise LabError(f"{pair.name}: {pair.job.script.name} holds {patch.find!r} {text.count(patch.find)} times, not once")
        text = text.replace(patch.find, patch.put)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / pair.job.script.name
    path.write_text(text)
    return path
