"""What a user has today, asked about the same faults: does it name the rank that began it?

    own words          the launcher's and the framework's messages in the plain run
    debug detail       PyTorch with TORCH_DISTRIBUTED_DEBUG=DETAIL
    flight analyzer    PyTorch's analyzer on the flight-recorder dumps of that run
    stall inspector    Horovod's, told to look after two seconds
"""

import json
import os
import pathlib
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


def is_asked(pair: Pair) -> bool:
    """Only a fault that some ranks began has a right answer."""
    return bool(pair.truth.root_ranks)


def ask(folder: pathlib.Path, pair: Pair) -> dict[str, list[int]]:
    """The ranks each blames; kept with the pair's results."""
    said = {}
    if (folder / pair.name / "logs").exists():
        said["own words"] = blame.ranks_blamed(printed(folder / pair.name / "logs"), blame.OWN_WORDS)
    if pair.label in PYTORCH and pair.launcher in ("torchrun", "env"):
        said |= _pytorch(folder / pair.name / "peers", pair)
    if pair.label in HOROVOD:
        run = _fresh(folder / pair.name / "peers")
        pair_run.run_pair(pair, run, record=False, environ={"HOROVOD_STALL_CHECK_TIME_SECONDS": "2"})
        said["stall inspector"] = blame.ranks_blamed(printed(run), blame.STALL_INSPECTOR)
    path = results.result_path(folder, pair)
    path.write_text(json.dumps(results.load(folder, pair) | {"peers": said}, indent=1) + "\n")
    return said


def _pytorch(run: pathlib.Path, pair: Pair) -> dict[str, list[int]]:
    dumps = _fresh(run).with_name("peers-dumps")
    shutil.rmtree(dumps, ignore_errors=True)
    environ = flight_dumps.environ(dumps) | {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}
    environ["PYTHONPATH"] = os.pathsep.join((environ["PYTHONPATH"], str(registry.JOBS)))

    def take_dumps(job):
        job.wait_quiet(QUIET_S)
        if not job.ended:
            try:
                flight_dumps.take(job, dumps)
            except LabError:
                pass  # a rank that is stopped leaves none
    pair_run.run_pair(pair, run, record=False, environ=environ, meanwhile=take_dumps)
    return {"debug detail": blame.ranks_blamed(printed(run), blame.DEBUG_DETAIL),
            "flight analyzer": blame.ranks_blamed(_analyzed(pair, dumps), blame.FLIGHT_ANALYZER)}


def _analyzed(pair: Pair, dumps: pathlib.Path) -> str:
    if not dumps.exists():
        return ""
    command = [registry.python_of(pair.job.env), "-m", "torch.distributed.flight_recorder.fr_trace", "-p", "fr_trace_rank_", str(dumps)]
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
