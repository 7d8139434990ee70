"""PyTorch jobs under the recorder: the record tells what they did, and who is at fault."""

import collections
import json
import os
import pathlib
import subprocess
import sys

import pytest

from harness.flight_runs import FAULTY, QUIET_S, RANKS, RUNS, STEPS_BEFORE
from harness.fault_spec import parse_fault
from harness.job_run import JobRun
from harness.registry import REPOSITORY, Job, load_registry, python_of
from harness.run_spec import RunSpec

from recordings import attribute, diagnose, recorder, records_of

E2E = pathlib.Path(__file__).parent


def mode_of(records):
    return attribute(records, "pytorch adapter mode")


def run_calls(env, folder, **environ):
    job = Job("recorded_calls", env, E2E / "recorded_calls.py", 2, ("env",))
    environ = recorder(folder, LAB_JOBS=str(REPOSITORY / "lab/jobs"), **environ)
    with JobRun(RunSpec(job, "env", timeout_s=300, environ=environ)) as run:
        result = run.wait()
        assert result.status == 0, (run.folder / "rank_0.err").read_text()
    return [records_of(folder, rank) for rank in range(2)]


def calls_of(records):
    return [(call["communicator"], call["operation"], call["sequence"], call.get("peer", -1),
             call.get("reduce_op", "none"), call.get("inputs", []), call.get("outputs", []), call["name"])
            for call in records if call["record"] == "call"]


def both(*shapes):
    return list(shapes), list(shapes)


def expected_calls(rank, native, is_old):
    """In the order in which recorded_calls.py makes them."""
    f32, world = "float32[{}]".format, 2
    old_misses = lambda calls: [] if is_old else calls
    calls = [
        ("0", "all_reduce", -1, "sum", *both("float32[2,3]"), "c10d.allreduce_"),
        ("0", "all_reduce", -1, "maximum", *both("float32[2,3]"), "c10d.allreduce_"),
        ("0", "all_reduce", -1, "sum", *both("float32[140]"), "c10d.allreduce_coalesced_"),
        ("0", "broadcast", 1, "none", *both("int64[5]"), "c10d.broadcast_"),
        ("0", "reduce", 0, "sum", *both(f32(4)), "c10d.reduce_"),
        ("0", "all_gather", -1, "none", [f32(2)], [f32(2)] * world, "c10d.allgather_"),
        *old_misses([("0", "all_gather", -1, "none", [f32(2)], [f32(4)], "c10d._allgather_base_")]),
        ("0", "gather", 1, "none", [f32(3)], [f32(3)] * world if rank == 1 else [], "c10d.gather_"),
        ("0", "scatter", 0, "none", ["float64[2]"] * world if rank == 0 else [], ["float64[2]"], "c10d.scatter_"),
        ("0", "all_to_all", -1, "none", [f32(6)], [f32(6)], "c10d.alltoall_base_"),
        ("0", "barrier", -1, "none", [], [], "c10d.barrier"),
        ("0", "barrier", -1, "none", [], [], "c10d.monitored_barrier_"),
    ]
    if rank == 0:
        calls += [("0", "send", 1, "none", [f32(7)], [], "c10d.send"),
                  ("0 tag 5", "send", 1, "none", [f32(7)], [], "c10d.send"),
                  ("0", "receive", -1, "none", [], [f32(7)], "c10d.recv_any_source_")]
    else:
        calls += [("0", "receive", 0, "none", [], [f32(7)], "c10d.recv_"),
                  ("0 tag 5", "receive", 0, "none", [], [f32(7)], "c10d.recv_"),
                  ("0", "send", 0, "none", [f32(7)], [], "c10d.send")]
    calls += [("1", "all_reduce", -1, "sum", *both(f32(8)), "c10d.allreduce_"),
              ("1", "all_reduce", -1, "sum", *both(f32(9)), "c10d.allreduce_")]
    if rank == 1:
        calls += [("2", "all_reduce", -1, "sum", *both(f32(1)), "c10d.allreduce_")]
    if native:  # Python alone does not see what C++ issues
        calls += old_misses([("0", "all_reduce", -1, "sum", *both(f32(11)), "c10d.allreduce_")])
    calls += [("0", "barrier", -1, "none", [], [], "c10d.barrier")]
    return list(numbered(calls, "" if native else " (python)"))


def numbered(calls, suffix):
    """Collectives count by communicator, sends and receives by partner and direction too."""
    counts = collections.Counter()
    for communicator, operation, peer, *rest in calls:
        lane = (communicator, operation, peer) if operation in ("send", "receive") else communicator
        counts[lane] += 1
        yield (communicator.replace(" tag", suffix + " tag") if " tag" in communicator else communicator + suffix, operation, counts[lane], peer, *rest)


def check_ends(records):
    """Every call has ended, once."""
    key = lambda record: (record["communicator"], record["operation"], record["sequence"], record.get("peer", -1))
    done = [record for record in records if record["record"] == "done"]
    ended = [(key(record), record["status"]) for record in done if record["status"] != "started"]
    waited = [key(record) for record in done if record["status"] == "started" and record["operation"] in ("send", "receive")]
    assert len(waited) == 3
    issued = [(key(call), "completed") for call in records if call["record"] == "call"]
    assert sorted(ended) == sorted(issued)


def check_activities(records):
    seen = [(record["activity"], record["phase"]) for record in records if record["record"] == "activity"]
    assert seen.count(("step", "end")) == 3 and seen.count(("step", "begin")) == 2
    assert seen.count(("data_wait", "begin")) == seen.count(("data_wait", "end")) == 4  # the last one finds the end
    assert seen.count(("checkpoint_save", "begin")) == seen.count(("checkpoint_save", "end")) == 1
    assert seen.count(("checkpoint_load", "begin")) == seen.count(("checkpoint_load", "end")) == 1


def check_groups(records, rank):
    groups = {record["name"].replace(" (python)", ""): record["members"] for record in records
              if record["record"] == "communicator"}
    runs = {"0": [(0, 1, 2)], "0 tag 5": [(0, 1, 2)], "1": [(0, 1, 2)]} | ({"2": [(1, 1, 1)]} if rank == 1 else {})
    assert {name: [(run["first"], run["step"] or 1, run["count"]) for run in members]
            for name, members in groups.items()} == runs
    assert all(record["backend"] == "gloo" for record in records if record["record"] == "communicator")


def check_stack(records):
    """It leads to the line of the script."""
    gather = next(record for record in records if record["record"] == "call" and record["operation"] == "gather")
    line = next(number for number, text in enumerate((E2E / "recorded_calls.py").read_text().splitlines(), 1)
                if "dist.gather(" in text)
    assert any(frame.endswith(f"recorded_calls.py:{line})") for frame in gather["stack"]), gather["stack"]


@pytest.mark.parametrize("env, way", [("torch", "native"), ("torch113", "native"), ("torch", "python")])
def test_every_call_is_in_the_record(tmp_path, env, way):
    no_compiler = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": str(tmp_path)} if way == "python" else {}
    ranks = run_calls(env, tmp_path / "recording", **no_compiler)
    native = way == "native"
    for rank, records in enumerate(ranks):
        assert mode_of(records) == [way]
        assert calls_of(records) == expected_calls(rank, native, is_old=env == "torch113")
        check_ends(records)
        check_activities(records)
        check_groups(records, rank)
        if native:
            check_stack(records)
    assert diagnose(tmp_path / "recording")["findings"] == []


def test_checksums_agree_where_they_must(tmp_path):
    ranks = run_calls("torch", tmp_path / "recording", LOCKSTEP_CHECKSUMS="1")
    sums = [{(record["communicator"], record["sequence"]): record["output"] for record in records
             if record["record"] == "checksum" and record["operation"] == "all_reduce" and "output" in record}
            for records in ranks]
    shared = [key for key in sums[0] if key in sums[1]]
    assert len(shared) == 6 and all(sums[0][key] == sums[1][key] for key in shared)
    inputs = [record["input"] for records in ranks for record in records
              if record["record"] == "checksum" and record["operation"] == "all_reduce" and "input" in record]
    assert len(set(inputs)) > 1
    for records in ranks:
        check_ends(records)


VERDICTS = {
    "missing_rank": ("desync.missing_rank", [FAULTY]),
    "another_shape": ("mismatch.shape", [FAULTY]),
    "order_inversion": ("deadlock.order_inversion", None),
}


def faulty_run(name, launcher, recording, folder):
    fault = RUNS[name]
    return JobRun(RunSpec(load_registry()[fault.job], launcher, ranks=RANKS, steps=fault.steps, timeout_s=300,
                          environ=recorder(recording) | fault.environ,
                          faults=[parse_fault(text) for text in fault.faults]), folder)


@pytest.mark.parametrize("name", VERDICTS)
def test_the_faulty_rank_is_named(name, tmp_path):
    with faulty_run(name, "env", tmp_path / "recording", tmp_path / "run") as run:
        run.wait_for(FAULTY, STEPS_BEFORE)
        run.wait_quiet(QUIET_S)
        verdict = diagnose(tmp_path / "recording")
        run.end()
    code, roots = VERDICTS[name]
    first = verdict["findings"][0]
    assert first["code"] == code, json.dumps(verdict, indent=1)
    assert roots in (None, first["root_ranks"]), json.dumps(verdict, indent=1)


def test_a_rank_killed_before_a_collective_is_named(tmp_path):
    with faulty_run("missing_rank", "env", tmp_path / "recording", tmp_path / "run") as run:
        run.wait_for(FAULTY, STEPS_BEFORE)
        run.wait_quiet(1)
        run.kill(FAULTY)
        run.wait_quiet(QUIET_S)
        run.end()
    records = records_of(tmp_path / "recording", FAULTY)
    assert not any(record["record"] == "end" for record in records)
    issued = [record["sequence"] for record in records if record["record"] == "call" and record["communicator"] == "0"]
    assert issued == list(range(1, STEPS_BEFORE + 2)), "kill -9 took events with it"
    verdict = diagnose(tmp_path / "recording")
    assert verdict["findings"][0]["root_ranks"] == [FAULTY], json.dumps(verdict, indent=1)


def start_alone(arguments, environ):
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("LOCKSTEP", "PYTHON"))} | {
        "RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", "GLOO_SOCKET_IFNAME": "lo"} | environ
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ)


def test_a_failing_job_fails_as_it_would(tmp_path):
    command = [python_of("torch"), str(E2E / "failing_jobs.py")]
    started = [start_alone(command, {}), start_alone(command, recorder(tmp_path / "recording"))]
    plain, watched = [(*process.communicate(timeout=300), process.returncode) for process in started]
    assert plain[1].count("Traceback") == 4 and plain[2] == 1
    assert watched == plain
    failed = [record for record in records_of(tmp_path / "recording", 0) if record["record"] == "done"]
    assert [(record["status"], "BAND" in record["error"]) for record in failed] == [("failed", True)]


def test_a_sitecustomize_of_the_user_still_runs_once(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.runs = getattr(builtins, 'runs', 0) + 1\n")
    environ = recorder(tmp_path / "recording")
    environ["PYTHONPATH"] += os.pathsep + str(tmp_path)
    said = start_alone([sys.executable, "-c", "import sitecustomize; print(runs, sitecustomize.__file__)"], environ)
    assert said.communicate(timeout=300) == (f"1 {tmp_path}/sitecustomize.py\n", "")
    assert not (tmp_path / "recording").exists()
