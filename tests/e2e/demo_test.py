"""The demo tells the truth about a real hang, in eighty columns."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def test_demo_shows_who_waits_where():
    done = subprocess.run([str(ROOT / "lab" / "demo" / "run")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "rank 0 | lab rank=0 step=4" in done.stdout
    assert "What PyTorch says" in done.stdout and "What Lockstep says" in done.stdout
    verdict = done.stdout.partition("What Lockstep says")[2].partition("What the harness saw")[0]
    assert "rank 2 began it; ranks 0-1, 3 waited" in verdict, verdict
    assert "barrier" in verdict and "all_reduce" in verdict, verdict
    seen = done.stdout.partition("What the harness saw")[2]
    assert all(f"rank {rank}: " in seen for rank in range(4))
    assert "backward" in seen
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    assert "\033" not in done.stdout
