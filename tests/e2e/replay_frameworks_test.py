"""Ranks of recorded Horovod and TensorFlow jobs, run again alone without a network: the same to the last bit.

Each job by its first launcher; LOCKSTEP_REPLAY_ALL=1 (make test-replay) takes the others too."""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy
import pytest

from harness.launchers import OPEN_MPI
from harness.registry import REPOSITORY, load_registry, python_of
from recordings import LOCKSTEP
from solo_replay import WITHOUT_A_NETWORK, replay as replay_alone, replay_each

sys.path.insert(0, str(REPOSITORY / "adapters/python"))
from lockstep_python import names, parameter_file

JOBS = pathlib.Path(__file__).parent / "horovod_jobs"
START_WORKERS = pathlib.Path(__file__).parent / "replay_jobs/start_workers.py"
SPOILED = pathlib.Path(__file__).parent / "replay_jobs/spoiled.py"
COORDINATOR = pathlib.Path(__file__).parent / "replay_jobs/busy_coordinator.py"
LIMIT_S, STEPS = 600, 3
ALONE = {"limit_s": LIMIT_S, "under": WITHOUT_A_NETWORK}
replay = functools.partial(replay_alone, **ALONE)
REGISTRY = load_registry()
ALL = [(name, launcher) for name in ("horovod_torch", "horovod_tensorflow", "horovod_keras")
       for launcher in ("horovodrun_gloo", "mpirun")] + [(name, "tf_config") for name in ("tf_custom_loop", "keras_fit", "tf_faults", "tf_parameter_server")]
CHOSEN = ALL if os.environ.get("LOCKSTEP_REPLAY_ALL") else list({name: (name, launcher) for name, launcher in reversed(ALL)}.values())

# job, launcher, the step at whose end it is first seen that the model was changed when the first step was told, its name
SPOILT = [("tf_custom_loop", "tf_config", 2, "sequential/dense/kernel"), ("keras_fit", "tf_config", 1, "dense/kernel:0"),
          ("horovod_tensorflow", "horovodrun_gloo", 2, "Variable:0"), ("horovod_keras", "horovodrun_gloo", 1, "dense/kernel:0")]
FIRST = {name: variable for name, _, _, variable in SPOILT}  # of its model's


def launch(launcher, env, ranks, script, roles=None):
    python = pathlib.Path(python_of(env))
    tasks = ",".join(f"{role}={count}" for role, count in (roles or {}).items())
    return {"horovodrun_gloo": [python.with_name("horovodrun"), "--gloo", "-np", str(ranks), python, script],
            "mpirun": ["mpirun.openmpi", "--oversubscribe", "-n", str(ranks), python, script],
            "tf_config": [python, START_WORKERS, tasks, script]}[launcher]


def record(folder, command, **environ):
    run = subprocess.run([LOCKSTEP, "run", "--payload", "-q", "-o", folder, "--", *command], capture_output=True, text=True,
                         timeout=LIMIT_S, env=os.environ | OPEN_MPI | {"OMP_NUM_THREADS": "1", "LAB_STEPS": str(STEPS)} | environ)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def lines_of(text, rank):
    """What a rank printed of its results, without what a launcher puts before it."""
    return [line for line in re.findall(rf"lab (rank={rank} .*)", text) if "pid=" not in line]


@pytest.fixture(scope="module")
def lab_recording(tmp_path_factory):
    """A function that records a lab job, once: the folder, and what was printed."""

    @functools.cache
    def recorded(name, launcher):
        job, folder = REGISTRY[name], tmp_path_factory.mktemp(name) / "recording"
        return folder, record(folder, launch(launcher, job.env, job.ranks, job.script, job.roles), **job.environ)

    return recorded


@pytest.mark.parametrize("name, launcher", CHOSEN)
def test_every_rank_of_a_lab_job(lab_recording, name, launcher):
    job, (folder, printed) = REGISTRY[name], lab_recording(name, launcher)
    servers = job.ranks - 1 if "ps" in job.roles else 0
    for rank, said in enumerate(replay_each(folder, range(job.ranks - servers), **ALONE)):
        assert lines_of(said.stdout, rank) == lines_of(printed, rank) != [], said.stderr
        assert "replayed bit for bit" in said.stderr, said.stderr
        assert name not in {*FIRST, "horovod_torch"} or f" {STEPS} steps compared" in said.stderr, said.stderr
    for rank in range(job.ranks - servers, job.ranks):
        said = replay(folder, rank, status=2)
        assert f"cannot replay rank {rank}" in said.stderr and "replay rank 0, the coordinator" in said.stderr, said.stderr


def test_a_coordinator_gets_what_its_workers_gave_it(tmp_path):
    """Though they raced, and wherever their functions run again; and a function that is given something else is named."""
    printed = record(tmp_path / "recording", launch("tf_config", "tensorflow", 4, COORDINATOR, {"chief": 1, "worker": 2, "ps": 1}),
                     PYTHONPATH=str(REPOSITORY / "lab/jobs"))
    said = replay(tmp_path / "recording", 0)
    assert lines_of(said.stdout, 0) == lines_of(printed, 0) != [], said.stderr
    assert "replayed bit for bit" in said.stderr, said.stderr
    replay(tmp_path / "recording", 0, "-o", tmp_path / "replay", "--", "env", "LOUDER=4", status=1)
    finding = json.loads((tmp_path / "replay/findings.json").read_text())["findings"][0]
    assert "input of gather 5 of group results of functions" in finding["title"], finding


HAS_NAN = "any(numpy.isnan(p).any() for p in parameters.values())"


@pytest.mark.parametrize("name, launcher, step, variable", SPOILT)
def test_the_step_in_which_a_variable_becomes_nan_is_found_by_one_replay(tmp_path, name, launcher, step, variable):
    job = REGISTRY[name]
    command = launch(launcher, job.env, job.ranks, SPOILED, job.roles)
    record(tmp_path / "recording", [*command, job.script, "0", "nan"], **job.environ)
    said = replay(tmp_path / "recording", 1, "--bisect", HAS_NAN)
    assert f"it holds first at the end of step {step}: " in said.stderr, said.stderr


@pytest.mark.parametrize("name, launcher, step, variable", SPOILT)
def test_a_variable_that_differs_is_named_with_its_step(lab_recording, tmp_path, name, launcher, step, variable):
    folder, _ = lab_recording(name, launcher)
    replay(folder, 1, "-o", tmp_path / "replay", "--", "python", SPOILED, REGISTRY[name].script, "1", "0.25", status=1)
    finding = json.loads((tmp_path / "replay/findings.json").read_text())["findings"][0]
    assert any(f"end of step {step + 1}: {variable}, 1 of " in proof["text"] for proof in finding["evidence"]), finding


@pytest.mark.parametrize("name, launcher", [("keras_fit", "tf_config"), ("horovod_keras", "horovodrun_gloo")])
def test_two_ranks_have_learned_the_same_whatever_their_metrics_say(lab_recording, name, launcher):
    folder, _ = lab_recording(name, launcher)
    said = subprocess.run([LOCKSTEP, "diff", f"{folder}:0", f"{folder}:1"], capture_output=True, text=True, timeout=LIMIT_S)
    assert said.returncode == 0, said.stdout + said.stderr


def test_of_equal_names_the_second_is_numbered():
    taken = {"other"}
    assert [names.free_name(name, taken) for name in ("w", "w", "other", "w")] == ["w", "w #2", "other #2", "w #3"]


def test_parameters_are_a_file_for_numpy(tmp_path):
    """Also one that is called as an argument of numpy.savez."""
    parameters = {"file": numpy.float32([1, 2]), "model/dense/kernel:0": numpy.eye(3)}
    parameter_file.write(parameters, tmp_path / "parameters")
    read = numpy.load(tmp_path / "parameters")
    assert sorted(read) == sorted(parameters) and all((read[name] == parameters[name]).all() for name in read)


LOOPS = pytest.mark.parametrize("name, launcher", [("tf_custom_loop", "tf_config"), ("horovod_tensorflow", "horovodrun_gloo")])


@LOOPS
def test_a_replay_of_a_tensorflow_loop_stops_after_a_step(lab_recording, name, launcher):
    said = replay(lab_recording(name, launcher)[0], 1, "--to-step", "2")
    assert "step=0 " in said.stdout and "step=2 " not in said.stdout, said.stdout
    assert "ended before the recorded run did" in said.stderr, said.stderr


@LOOPS
def test_a_worker_of_tensorflow_goes_on_from_an_image(criu, lab_recording, tmp_path, name, launcher):
    folder, printed = lab_recording(name, launcher)
    taken = replay_alone(folder, 1, "--checkpoint-every", "2", "-o", tmp_path / "travel", limit_s=LIMIT_S)
    assert "image of step 2: " in taken.stderr and lines_of(taken.stdout, 1) == lines_of(printed, 1), taken.stderr
    restored = replay_alone(folder, 1, "--images", tmp_path / "travel", "--from-step", "2", limit_s=LIMIT_S)
    assert "step 2 restored from its image" in restored.stderr and "replayed bit for bit" in restored.stderr, restored.stderr
    assert lines_of(restored.stdout, 1) == lines_of(printed, 1)[1:], restored.stdout
    (tmp_path / "patch.py").write_text(f"kernel = parameters['{FIRST[name]}']\nkernel.assign_add(tf.ones_like(kernel))\n")
    patched = replay_alone(folder, 1, "--images", tmp_path / "travel", "--from-step", "2", "--patch", tmp_path / "patch.py",
                           limit_s=LIMIT_S)
    assert "the first thing that changes" in patched.stderr and "in step 3" in patched.stderr, patched.stderr
    asks = f"{sys.executable} -c 'import numpy, os; exit(numpy.load(os.environ[\"LOCKSTEP_PARAMETERS\"])[\"{FIRST[name]}\"].size == 512)'"
    asked = replay_alone(folder, 1, "--images", tmp_path / "travel", "--bisect-command", asks, limit_s=LIMIT_S)
    assert "it holds first at the end of step 1 " in asked.stderr, asked.stderr


def test_every_call_of_horovod_comes_again(tmp_path):
    """Also process sets, joins and results whose sizes only the other ranks know; and what differs is found by its name."""
    folder = tmp_path / "recording"
    record(folder, launch("horovodrun_gloo", "horovod-torch", 2, JOBS / "torch_calls.py"), LAB_JOBS=str(REPOSITORY / "lab/jobs"))
    for rank in range(2):
        assert "replayed bit for bit" in replay(folder, rank).stderr
    changed = tmp_path / "changed.py"
    changed.write_text((JOBS / "torch_calls.py").read_text().replace('torch.ones(4, 2), name="parts"',
                                                                     'torch.zeros(4, 2), name="parts"'))
    replay(folder, 1, "-o", tmp_path / "replay", "--what-if", "--", "python", changed)
    finding = json.loads((tmp_path / "replay/findings.json").read_text())["findings"][0]
    assert "horovod reducescatter.parts" in finding["title"] and finding["root_ranks"] == [1], finding
