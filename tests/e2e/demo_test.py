"""The demo tells the truth about a real hang while it hangs, and leaves what it says it leaves."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def test_demo_names_the_rank_that_left():
    done = subprocess.run([str(ROOT / "lab" / "demo" / "run")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "lab rank=0 step=4" in done.stdout
    live = re.search(r"^lockstep: [\d.]+ s: Rank 2 brought barrier where the others brought all_reduce", done.stdout, re.M)
    verdict = done.stdout.find("rank 2 began it; ranks 0-1, 3 waited")
    assert live and live.start() < verdict, done.stdout
    assert (ROOT / "build/demo/findings.json").exists()
    assert (ROOT / "build/demo.html").exists()
    assert done.stdout.rstrip().endswith("build/demo.html"), "the demo ends with the file to open"
    assert "\033" not in done.stdout
