"""What a user has today, asked about the same faults: does it name the rank that began it?

    own words          the launcher's and the framework's messages in the plain run
    debug detail       PyTorch 1.13 with TORCH_DISTRIBUTED_DEBUG=DETAIL: 2.13 for the CPU ends healthy jobs with a segmentation fault
    flight analyzer    PyTorch's analyzer on flight-recorder dumps, taken when the job has fallen quiet or at its end
    stall inspector    Horovod's, told to look after two seconds
"""

import dataclasses
import json
import os
import pathlib
import pickle
import shutil
import subprocess

from harness import flight_dumps, registry
from harness.errors import LabError
from faultlab import blame, pair_run, results
from faultlab.fault_file import Pair
from faultlab.verdict import PRINTED

QUIET_S = 5
ANALYZER_LIMIT_S = 120
PYTORCH, HOROVOD = ("torch", "fsdp"), ("horovod", "horovod_tf")
DETAIL_ENV = "torch113"


def is_asked(pair: Pair) -> bool:
    """Only a fault that some ranks began has a right answer."""
    return bool(pair.truth.root_ranks)


def ask(folder: pathlib.Path, pair: Pair) -> dict[str, list[int]]:
    """The ranks each blames; kept with the pair's results."""
    said = {}
    if (folder / pair.name / "logs").exists():
        said["own words"] = blame.ranks_blamed(printed(folder / pair.name / "logs"), blame.OWN_WORDS)
    if pair.label in PYTORCH and pair.launcher in ("torchrun", "env"):
        said["flight analyzer"] = _flight_analyzer(folder / pair.name / "peers", pair)
    if pair.label == "torch" and not pair.rank_envs:  # FSDP's jobs need a newer PyTorch
        said["debug detail"] = _debug_detail(folder / pair.name / "peers-detail", pair)
    if pair.label in HOROVOD:
        run = _fresh(folder / pair.name / "peers")
        pair_run.run_pair(pair, run, record=False, environ={"HOROVOD_STALL_CHECK_TIME_SECONDS": "2"})
        said["stall inspector"] = blame.ranks_blamed(printed(run), blame.STALL_INSPECTOR)
    path = results.result_path(folder, pair)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results.load(folder, pair) | {"peers": said}, indent=1) + "\n")
    return said


def _debug_detail(run: pathlib.Path, pair: Pair) -> list[int]:
    older = dataclasses.replace(pair, job=dataclasses.replace(pair.job, env=DETAIL_ENV))
    pair_run.run_pair(older, _fresh(run), record=False, environ={"TORCH_DISTRIBUTED_DEBUG": "DETAIL"})
    return blame.ranks_blamed(printed(run), blame.DEBUG_DETAIL + blame.OWN_WORDS)


def _flight_analyzer(run: pathlib.Path, pair: Pair) -> list[int]:
    dumps = _fresh(run).with_name("peers-dumps")
    shutil.rmtree(dumps, ignore_errors=True)
    environ = flight_dumps.environ(dumps)
    environ["PYTHONPATH"] = os.pathsep.join((environ["PYTHONPATH"], str(registry.JOBS)))

    def take_dumps(job):
        job.wait_quiet(QUIET_S)
        if not job.ended:
            try:
                flight_dumps.take(job, dumps)
            except LabError:
                pass  # a rank that is stopped leaves none
    pair_run.run_pair(pair, run, record=False, environ=environ, meanwhile=take_dumps)
    _name_groups(dumps, pair.job.ranks)
    return blame.ranks_blamed(_analyzed(pair, dumps), blame.FLIGHT_ANALYZER)


def _name_groups(dumps: pathlib.Path, ranks: int):
    """Dumps of Gloo jobs list one group without a name, on which PyTorch's analyzer fails: it gets those that the entries name,
    each with all ranks where nothing tells its members. The dumps are of our own jobs."""
    for path in dumps.glob("fr_trace_rank_*"):
        dump = pickle.loads(path.read_bytes())
        listed = next(iter(dump.get("pg_config", {}).values()), {}).get("ranks", "[]")
        members = listed if listed != "[]" else str(list(range(ranks)))
        named = {tuple(entry["process_group"]) for entry in dump.get("entries", [])}
        dump["pg_config"] = {name: {"name": name, "desc": text, "ranks": members} for name, text in named}
        path.write_bytes(pickle.dumps(dump))


def _analyzed(pair: Pair, dumps: pathlib.Path) -> str:
    if not dumps.exists():
        return ""
    command = [registry.python_of(pair.job.env), "-m", "torch.distributed.flight_recorder.fr_trace", "--allow-incomplete-ranks",
               "-p", "fr_trace_rank_", str(dumps)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ANALYZER_LIMIT_S)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout + done.stderr


def printed(run: pathlib.Path) -> str:
    return "\n".join(path.read_text(errors="replace") for pattern in PRINTED for path in sorted(run.glob(pattern)))


def _fresh(run: pathlib.Path) -> pathlib.Path:
    shutil.rmtree(run, ignore_errors=True)
    return run
