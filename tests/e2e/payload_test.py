"""What payload keeps, and how it is bounded: by a window of steps, by the disk, by a limit. The job is never harmed, and
what was kept can be replayed."""

import os
import pathlib
import resource
import shutil
import subprocess

import pytest

from recordings import LOCKSTEP, python_with_native_half

RESUME = pathlib.Path(__file__).parent / "replay_jobs/resume.py"
UNSEEDED = RESUME.with_name("unseeded.py")
LIMIT_S = 400


@pytest.fixture(scope="module")
def python():
    return str(python_with_native_half())


def run_command(python, folder, *flags, script=RESUME):
    return [LOCKSTEP, "run", *flags, "-q", "-o", folder, "--", python, "-m", "torch.distributed.run", "--standalone",
            "--nproc-per-node", "2", script]


def environment(**environ):
    return os.environ | {"OMP_NUM_THREADS": "1"} | environ


def replay(folder, rank, *more):
    return subprocess.run([LOCKSTEP, "replay", folder, "--rank", str(rank), *more], capture_output=True, text=True,
                          timeout=LIMIT_S)


def steps_of(text, rank):
    return [line for line in text.splitlines() if f"rank={rank} " in line]


@pytest.fixture(scope="module")
def since_checkpoint(python, tmp_path_factory):
    folder = tmp_path_factory.mktemp("window")
    job = subprocess.run(run_command(python, folder / "recording", "--payload-since-checkpoint"), capture_output=True,
                         text=True, timeout=LIMIT_S, env=environment(CHECKPOINT=str(folder / "state.pt")))
    assert job.returncode == 0, job.stderr
    return folder, job.stdout


def assert_each_rank_resumes(recording, printed, checkpoint):
    for rank in range(2):
        said = replay(recording, rank)
        assert said.returncode == 0, said.stdout + said.stderr
        assert f"resume from what the job saved after step 16: {checkpoint}\n" in said.stderr, said.stderr
        assert steps_of(said.stdout, rank) == steps_of(printed, rank)[16:] != []
        assert "replayed bit for bit" in said.stderr, said.stderr


def test_each_rank_resumes_from_the_checkpoint_and_goes_on_bit_for_bit(since_checkpoint):
    folder, printed = since_checkpoint
    assert_each_rank_resumes(folder / "recording", printed, folder / "state.pt")


def test_the_last_steps_are_replayed_from_what_all_ranks_saved_together(python, tmp_path):
    job = subprocess.run(run_command(python, tmp_path / "recording", "--payload-last", "5"), capture_output=True, text=True,
                         timeout=LIMIT_S, env=environment(CHECKPOINT=f"{tmp_path / 'state'}/"))
    assert job.returncode == 0, job.stderr
    assert_each_rank_resumes(tmp_path / "recording", job.stdout, tmp_path / "state")


def test_what_came_before_the_last_two_checkpoints_is_gone_from_the_disk(since_checkpoint):
    folder, _ = since_checkpoint
    step_bytes = 4 * (64 * 512 + 512 + 512 * 600 + 600 + 600 + 1)
    kept = sum(path.stat().st_size for path in (folder / "recording/payload").glob("rank_*"))
    assert kept < 12 * step_bytes, kept  # of 18: two at the start, twelve to eighteen
    said = subprocess.run([LOCKSTEP, "dump", "--limit", "1", folder / "recording"], capture_output=True, text=True)
    assert "rank 1 can be replayed: from the end of step 12" in said.stderr, said.stderr


def test_a_window_without_a_checkpoint_says_what_to_do(since_checkpoint, tmp_path):
    folder, _ = since_checkpoint
    shutil.copytree(folder / "recording", tmp_path / "recording")
    for path in (tmp_path / "recording/payload").glob("rank_00000.*"):
        path.unlink()  # of the rank that saved
    said = replay(tmp_path / "recording", 1)
    assert said.returncode == 2 and "--from-step" in said.stderr, said.stderr


def test_random_bytes_and_a_failing_collective_come_again(python, tmp_path):
    job = subprocess.run(run_command(python, tmp_path / "recording", "--payload", script=UNSEEDED), capture_output=True,
                         text=True, timeout=LIMIT_S, env=environment())
    assert job.returncode == 0, job.stderr
    said = replay(tmp_path / "recording", 1)
    assert steps_of(said.stdout, 1) == steps_of(job.stdout, 1) and "rank=1 error=" in said.stdout, said.stderr
    assert "replayed bit for bit" in said.stderr, said.stderr


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (6 << 20, 6 << 20))


def test_a_limit_on_files_stops_the_payload_and_not_the_job(python, tmp_path):
    job = subprocess.run(run_command(python, tmp_path / "recording", "--payload"), capture_output=True, text=True,
                         timeout=LIMIT_S, env=environment(STEPS="12"), preexec_fn=limit_files)
    assert job.returncode == 0, job.stderr
    assert len(steps_of(job.stdout, 0)) == len(steps_of(job.stdout, 1)) == 12
    said = replay(tmp_path / "recording", 0)
    assert "up to the end of step" in said.stderr and "File too large" in said.stderr, said.stderr
    again = steps_of(said.stdout, 0)
    assert again == steps_of(job.stdout, 0)[:len(again)] != [], said.stderr


def test_a_full_disk_stops_the_payload_and_not_the_job(python, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    run = " ".join(map(str, run_command(python, small / "recording", "--payload")))
    script = (f"mount -t tmpfs -o size=24m none {small} && {run}; status=$?; "
              f"cp -r {small}/recording {tmp_path}/saved; exit $status")
    job = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True, text=True,
                         timeout=LIMIT_S, env=environment(STEPS="24"))
    assert job.returncode == 0, job.stderr
    assert len(steps_of(job.stdout, 0)) == 24
    said = replay(tmp_path / "saved", 1)
    assert "No space left" in said.stderr, said.stderr
    again = steps_of(said.stdout, 1)
    assert again == steps_of(job.stdout, 1)[:len(again)] != [], said.stderr
    shutil.rmtree(tmp_path / "saved")
