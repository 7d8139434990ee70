"""Each demo tells the truth about a real job, ends with what it showed, and leaves what it says it leaves; Ctrl-C leaves nothing."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "lab/demo"))

import phases
from harness.exit_abort import ABORT, tell_ran_again

TRIES = 6  # of a demo whose job PyTorch aborted at its exit; on a busy machine one job in three is
DEMOS = ("demo", "demo-logs", "demo-check", "demo-replay", "demo-submit")


def was_aborted_by_pytorch(output):
    """By a thread of Gloo that outlives the group (lab/harness/exit_abort.py); launchers and the service name the signal alone."""
    return any(word in output for word in (ABORT, "(SIGABRT)", "ended with status 134"))


def run(name):
    for left in reversed(range(TRIES)):
        done = subprocess.run([ROOT / "lab/demo" / name], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 0 or not left or not was_aborted_by_pytorch(done.stdout):
            break
        tell_ran_again(name)
    assert done.returncode == 0, done.stdout
    assert "\033" not in done.stdout
    target = "demo" if name == "run" else f"demo-{name}"
    assert "What was shown" in done.stdout
    assert "By hand" in done.stdout
    for other in DEMOS:
        assert (f"  make {other} " in done.stdout) == (other != target), f"{other} in the end of {target}"
    return done.stdout


def order(text, *parts):
    """Where the parts stand, which come one after another, whatever lines are broken at."""
    at = [0]
    for part in parts:
        found = re.compile(part.replace(" ", r"\s+"), re.M).search(text, at[-1])
        assert found, f"no {part!r} behind {text[:at[-1]][-200:]!r} in\n{text}"
        at.append(found.end())
    return at[1:]


def test_demo_names_the_rank_that_left_also_after_ctrl_c():
    interrupted_demo_leaves_nothing()
    said = run("run")
    order(said, r"lab rank=0 step=4", r"^lockstep: [\d.]+ s: Rank 2 ", r"^lockstep: the job ended", r"mismatch\.operation",
          r"report build/demo ")
    assert "SignalException" not in said, "the launcher's own traceback hides what matters"
    verdict = said[said.index("-- The verdict"):said.index("-- The page")]
    assert len(verdict.splitlines()) <= 40, verdict
    assert (ROOT / "build/demo/findings.json").exists()
    assert (ROOT / "build/demo.html").exists()
    assert said.rstrip().endswith("build/demo.html"), "the demo ends with the file to open"


def interrupted_demo_leaves_nothing():
    running = subprocess.Popen([ROOT / "lab/demo/run"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True)
    for line in running.stdout:
        if "lab rank=0 step=" in line:
            break
    os.killpg(running.pid, signal.SIGINT)
    rest = running.stdout.read()
    assert running.wait() == 130, rest
    assert "nothing of it runs on" in rest
    assert not processes_of("build/demo")


def test_logs_name_the_rank_that_failed_first():
    said = run("logs")
    order(said, r"\$ torchrun", r"\$ lockstep diagnose build/demo-logs", r"cannot read sample 91", r"rank 2\b")
    assert len([path for path in (ROOT / "build/demo-logs").rglob("*.log") if path.stat().st_size]) >= 5


def test_check_mends_a_launch_that_then_runs():
    said = run("check")
    order(said, r"\$ lockstep check build/demo-check/node0.sh", r"node-rank", r"--fix --apply", r"Does it run now\?", r"rank 3: loss")
    before, after = ((ROOT / "build/demo-check" / name).read_text() for name in ("node1.sh.before-fix", "node1.sh"))
    assert before.replace("--node-rank 0", "--node-rank 1") == after


def test_replay_finds_the_step_and_the_rank():
    said = run("replay")
    order(said, r"it holds first at the end of step 12", r"rank 2: this rank's own loss is nan first, in step 12",
          r"rank 2 replayed bit for bit", r"--what-if", r"differs first, in step 12")


def test_submitted_job_is_mended_and_the_service_ends():
    said = run("submit")
    order(said, r"--env GLOO_SOCKET_IFNAME=ib7", r"failed, to be retried: [^$]* changed GLOO_SOCKET_IFNAME", r"started: attempt 2", r"SUCCEEDED",
          r"\] rank \d: loss")
    assert not processes_of("build/demo-submit"), "the service ends with the demo"


def test_a_phase_that_fails_ends_the_others_and_shows_its_log(capsys):
    phases.LOGS.mkdir(parents=True, exist_ok=True)
    first = phases.Phase("test_first", "going first", "went first", ["sh", "-c", "echo gone first"])
    bad = phases.Phase("test_bad", "going wrong", "went wrong", ["sh", "-c", "echo nothing will do; exit 3"], ["test_first"], hint="mend it")
    long = phases.Phase("test_long", "sleeping", "slept", ["sh", "-c", "sleep 1000 & sleep 1000"])
    never = phases.Phase("test_never", "never", "never", ["true"], ["test_bad"])
    failed = phases.run([first, bad, long, never], phases.Teller())
    assert failed is bad
    assert first.status == 0
    assert long.status != 0
    assert never.process is None
    assert not members_of(long.process.pid)
    phases.tell_failure(bad, "demo")
    said = capsys.readouterr().err
    assert "nothing will do" in said
    assert "mend it" in said
    assert "build/demo-setup/test_bad.log" in said
    for phase in (first, bad, long):
        phase.log.unlink()


def members_of(group):
    """Live processes of the group; one that nobody has waited for yet is none."""
    live = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            stat = path.read_text().rpartition(")")[2].split()
            live += [path] if int(stat[2]) == group and stat[0] not in "ZX" else []
    return live


def test_missing_packages_are_named_without_root():
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        os.chmod(file.name, 0o644)
        file.write("# a comment\nbash\nno-such-package-anywhere  # another\n")
        file.flush()
        names_what_is_missing(file.name)
    unknown = subprocess.run([ROOT / "tools/install_deps", "no-such-list"], capture_output=True, text=True)
    assert unknown.returncode == 2
    assert "no-such-list" in unknown.stderr


def names_what_is_missing(packages):
    missing = subprocess.run([ROOT / "tools/install_deps", "--missing", packages], capture_output=True, text=True)
    assert missing.stdout.split() == ["no-such-package-anywhere"]
    done = subprocess.run([ROOT / "tools/install_deps", packages], capture_output=True, text=True,
                          user=65534 if os.geteuid() == 0 else None)
    assert done.returncode == 2
    assert "apt-get install --no-install-recommends no-such-package-anywhere" in done.stderr


def processes_of(folder):
    """Command lines that name the folder, and do not end soon."""
    for _ in range(40):
        if not (found := lines_that_name(folder)):
            break
        time.sleep(0.5)
    return found


def lines_that_name(folder):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if f" {folder}" in line and os.readlink(path.parent / "cwd") == str(ROOT):
                found.append(line)
        except OSError:
            continue
    return found
