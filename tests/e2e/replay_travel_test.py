"""Time travel within a replay: images of the process, from which it goes on as if nothing had been; copies, breakpoints, and the
step at which something turned."""

import math
import os
import re
import socket
import subprocess
import sys
import time

import pytest

from harness.registry import REPOSITORY
from recordings import LOCKSTEP, python_with_native_half
from solo_replay import replay as replay_alone, stand_still_once

sys.path.insert(0, str(REPOSITORY / "adapters/python"))
from lockstep_python import gpu_memory

STEPS, EVERY, POISONED = 40, 10, 23
pytestmark = pytest.mark.usefixtures("criu")
JOB = REPOSITORY / "lab/jobs/torch_ddp.py"
LIMIT_S = 300

# The lab's job, whose weights are no numbers from a step on.
POISON = """import torch
step_of = torch.optim.SGD.step
def step(self, *rest, **named):
    self.steps = getattr(self, "steps", 0) + 1
    if self.steps == %d:
        self.param_groups[0]["params"][0].data.fill_(float("nan"))
    return step_of(self, *rest, **named)
torch.optim.SGD.step = step
exec(compile(open(%r).read(), %r, "exec"))
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Of a job whose weights become no numbers in a step."""
    folder = tmp_path_factory.mktemp("travel")
    script = folder / "poisoned.py"
    script.write_text(POISON % (POISONED, str(JOB), str(JOB)))
    command = [python_with_native_half(), "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", script]
    environ = os.environ | {"OMP_NUM_THREADS": "1", "LAB_STEPS": str(STEPS), "PYTHONPATH": str(JOB.parent)}
    job = subprocess.run([LOCKSTEP, "run", "--payload", "-q", "-o", folder / "rec", "--", *command], env=environ,
                         capture_output=True, text=True, timeout=LIMIT_S)
    assert job.returncode == 0, job.stderr
    return folder / "rec"


def replay(recording, *more, **options):
    return replay_alone(recording, 0, *more, limit_s=LIMIT_S, **options)


@pytest.fixture(scope="module")
def travelled(recording):
    folder = recording.parent / "travelled"
    return folder, replay(recording, "--checkpoint-every", str(EVERY), "-o", folder)


def lines(said):
    return [line for line in said.splitlines() if line.startswith("lab rank=0") and "pid=" not in line]


def test_images_are_taken_and_told(travelled):
    folder, said = travelled
    assert "replayed bit for bit" in said.stderr, said.stderr
    told = re.findall(r"image of step (\d+): [\d.]+ s, (\d+) MB", said.stderr)
    assert [int(step) for step, _ in told] == list(range(EVERY, STEPS + 1, EVERY)), said.stderr
    assert all(int(size) < int(told[0][1]) / 10 for _, size in told[1:]), "pages of the image before are not written again"
    assert len(list((folder / "images").iterdir())) == len(told)


def test_a_restored_process_ends_as_the_frozen_one_did(recording, travelled):
    folder, whole = travelled
    said = replay(recording, "--images", folder, "--from-step", "25")
    assert "step 20 restored from its image" in said.stderr, said.stderr
    assert "replayed bit for bit" in said.stderr and f"{STEPS} steps compared" in said.stderr, said.stderr
    rest = lines(said.stdout)
    assert rest == lines(whole.stdout)[-len(rest):] and rest[0].startswith("lab rank=0 step=19 "), said.stdout


def test_a_step_is_reached_from_the_image_before_it(recording, travelled):
    """How many seconds that takes is tests/bench/travel_bench's matter."""
    said = replay(recording, "--images", travelled[0], "--from-step", "35", "--to-step", "35")
    assert "step 30 restored from its image" in said.stderr and "at the end of step 35" in said.stderr, said.stderr
    assert "35 of its 40 steps were compared, no difference until then" in said.stderr, said.stderr


def test_two_copies_at_once_of_which_one_is_patched(recording, travelled, tmp_path):
    (tmp_path / "patch.py").write_text("if copy == 2:\n    parameters['module.0.bias'].data.add_(1e-3)\n")
    said = replay(recording, "--images", travelled[0], "--from-step", "10", "--fork", "2", "--patch", tmp_path / "patch.py",
                  "-o", tmp_path / "copies")
    assert "copy 1: rank 0 replayed bit for bit" in said.stderr, said.stderr
    assert re.search(r"copy 2: the first thing that changes:.*differs first, in step 11", said.stderr, re.S), said.stderr
    first, second = (lines((tmp_path / f"copies/copy_{copy}/output.txt").read_text()) for copy in (1, 2))
    assert first[:1] == second[:1] and first[1] != second[1] and len(first) == len(second)
    assert first == lines(travelled[1].stdout)[-len(first):]


def test_a_restored_process_stands_still_before_a_collective(recording, travelled):
    state, out, err = stand_still_once(recording, 0, "--images", travelled[0], "--break-at", "13:all_reduce", limit_s=LIMIT_S)
    assert "\nState:\tT" in state, state
    assert "replayed bit for bit" in err and "step=39" in out, err


@pytest.mark.parametrize("question", [
    ("--bisect", "any(p.isnan().any() for p in parameters.values())"),
    ("--bisect-command", f"{sys.executable} -c 'import os, sys; sys.exit(int(os.environ[\"LOCKSTEP_STEP\"]) >= {POISONED} "
                         "and os.path.getsize(os.environ[\"LOCKSTEP_PARAMETERS\"]) > 0)'"),
])
def test_the_step_at_which_something_turned_takes_few_replays(recording, travelled, question):
    begin = time.monotonic()
    said = replay(recording, "--images", travelled[0], *question)
    found = re.search(r"holds first at the end of step (\d+) \((\d+) partial replays\)", said.stderr)
    assert found and int(found[1]) == POISONED, said.stderr
    assert int(found[2]) <= math.log2(STEPS) + 2, said.stderr
    print(f"step {found[1]} found by {found[2]} partial replays in {time.monotonic() - begin:.1f} s")


def test_a_gpu_is_never_set_aside_in_a_process_that_is_connected():
    """The driver would say yes to it, and the next collective would fail."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        with pytest.raises(gpu_memory.Refused, match="it is connected to others"):
            gpu_memory.set_aside()
    with pytest.raises(gpu_memory.Refused, match="the driver cannot"):
        gpu_memory.set_aside()


def test_without_criu_it_says_why_and_goes_on(recording, tmp_path):
    said = replay(recording, "--checkpoint-every", "10", "--to-step", "11", "-o", tmp_path / "out",
                  env=os.environ | {"LOCKSTEP_CRIU": "/bin/false"})
    assert "no process images: /bin/false: 'criu check' fails; going on without" in said.stderr, said.stderr
    assert "11 of its 40 steps were compared, no difference until then" in said.stderr, said.stderr
