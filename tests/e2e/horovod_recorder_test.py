"""Horovod jobs under the recorder: the record tells what they did and who is at fault."""

import contextlib
import json
import pathlib
import re

import pytest

from harness.job_run import JobRun
from harness.registry import REPOSITORY, Job
from harness.run_spec import RunSpec
from recorded_verdict import wait_for_verdict
from recordings import MPI_ADAPTER, attribute, diagnose, name_of, names_in, records_of, sums_of
from recordings import recorder as plain_recorder

HERE = pathlib.Path(__file__).parent / "horovod_jobs"
STEPS_BEFORE, FAULTY, RANKS = 2, 2, 3
TIMEOUT_S = 600  # of a run; it takes ten seconds on a machine of its own


def recorder(folder, **more):
    return plain_recorder(folder, LAB_JOBS=str(REPOSITORY / "lab/jobs")) | more


def check_healthy(recording, ranks):
    assert names_in(recording) == [name_of(rank) for rank in range(ranks)]
    verdict = diagnose(recording)
    assert verdict["findings"] == [], json.dumps(verdict, indent=1)
    assert verdict["job"]["framework"] == "horovod"
    for rank in range(ranks):
        assert attribute(records_of(recording, rank), "python adapter") == []


def run_calls(script, env, launcher, folder, **more):
    job = Job("recorded_calls", env, HERE / script, 2, (launcher,))
    with JobRun(RunSpec(job, launcher, timeout_s=TIMEOUT_S, environ=recorder(folder, **more))) as run:
        result = run.wait()
        assert result.status == 0, (run.folder / "rank_0.err").read_text()
    check_healthy(folder, 2)
    return [records_of(folder, rank) for rank in range(2)]


def calls_of(records):
    return [(call["communicator"].removeprefix("horovod "), call["operation"], call["sequence"], call.get("peer", -1),
             call.get("reduce_op", "none"), call.get("inputs", [])) for call in records if call["record"] == "call"]


def check_ends(records):
    key = lambda record: (record["communicator"], record["operation"], record["sequence"])
    issued = [key(call) for call in records if call["record"] == "call"]
    ended = [key(record) for record in records if record["record"] == "done" and record["status"] != "started"]
    assert sorted(issued) == sorted(ended)
    assert all(record["status"] in ("started", "completed") for record in records if record["record"] == "done")


# With Gloo and with MPI below; Horovod's own calls of MPI are left out. Only Gloo can start again.
CONTROLLERS = pytest.mark.parametrize("launcher, more", [("horovodrun_gloo", {"LAB_STARTS_AGAIN": "1"}),
                                                         ("mpirun", MPI_ADAPTER)], ids=("gloo", "mpi"))


def expected_torch_calls(rank, starts_again):
    """In the order in which torch_calls.py makes them."""
    order = ["first", "second", "third"]
    uneven = lambda number: ("allreduce.uneven", "all_reduce", number, -1, "average", ["float32[7]"])
    return [
        ("hvd.init", "barrier", 1, -1, "none", []),
        ("allreduce.sums", "all_reduce", 1, -1, "sum", ["float32[2,3]"]),
        ("noname", "all_reduce", 1, -1, "maximum", ["float32[2,3]"]),
        ("grouped_allreduce.pair", "all_reduce", 1, -1, "average", ["float32[2]", "float32[3]"]),
        ("allgather.rows", "all_gather", 1, -1, "none", []),
        ("broadcast.numbers", "broadcast", 1, 1, "none", ["int64[5]"]),
        ("alltoall.shuffle", "all_to_all", 1, -1, "none", []),
        ("reducescatter.parts", "reduce_scatter", 1, -1, "sum", ["float32[4,2]"]),
        ("barrier", "barrier", 1, -1, "none", []),
        ("broadcast.object.sz", "broadcast", 1, 0, "none", ["int32[1]"]),
        ("broadcast.object.t", "broadcast", 1, 0, "none", ["uint8[24]"]),
        ("allgather.objects.sz", "all_gather", 1, -1, "none", []),
        ("allgather.objects.t", "all_gather", 1, -1, "none", []),
        *[(f"allreduce.{name}", "all_reduce", 1, -1, "average", ["float32[8]"])
          for name in (order if rank == 0 else reversed(order))],
        ("allreduce.sums", "all_reduce", 2, -1, "average", ["float32[3]"]),
        *([("process set 1 broadcast.alone", "broadcast", 1, 0, "none", ["float32[3]"])] if rank == 1 else []),
        *[uneven(number) for number in range(1, 4 - rank)],
        ("join", "join", 1, -1, "none", []),
        uneven(1_000_000_001),  # all count from there when a join is over
    ] + ([("hvd.init", "barrier", 1, -1, "none", []), uneven(1)] if starts_again else [])


@CONTROLLERS
def test_every_torch_call_is_in_the_record(tmp_path, launcher, more):
    ranks = run_calls("torch_calls.py", "horovod-torch", launcher, tmp_path / "recording", **more)
    for rank, records in enumerate(ranks):
        assert calls_of(records) == expected_torch_calls(rank, "LAB_STARTS_AGAIN" in more)
        check_ends(records)
        sets = {record["name"]: record["members"] for record in records if record["record"] == "communicator"}
        assert sets["horovod join"] == [{"first": 0, "step": 1, "count": 2}]
        if rank == 1:
            assert [(run["first"], run["count"]) for run in sets["horovod process set 1 broadcast.alone"]] == [(1, 1)]
        check_stack(records)


def check_stack(records):
    """It leads to the line of the script."""
    shuffle = next(record for record in records if record["record"] == "call" and record["operation"] == "all_to_all")
    line = next(number for number, text in enumerate((HERE / "torch_calls.py").read_text().splitlines(), 1)
                if "hvd.alltoall(" in text)
    assert any(frame.endswith(f"torch_calls.py:{line})") for frame in shuffle["stack"]), shuffle["stack"]


def expected_tensorflow_calls(rank):
    in_graph = [("sums", "all_reduce", -1, "sum", ["float32[2,3]"]), ("numbers", "broadcast", 1, "none", ["int64[5]"]),
                ("rows", "all_gather", -1, "none", []), ("shuffle", "all_to_all", -1, "none", []),
                ("parts", "reduce_scatter", -1, "sum", ["float32[4,2]"]),
                ("HorovodGroupedAllreduce_Fill_5_0_Fill_6_0", "all_reduce", -1, "average", ["float32[2]", "float32[3]"])]
    return [(name, operation, use, *rest) for name, operation, *rest in in_graph for use in (1, 2)] + [
        ("hvd.init", "barrier", 1, -1, "none", []),
        ("HorovodAllreduce", "all_reduce", 1, -1, "sum", ["float32[7]"]),
        ("HorovodBroadcastInplaceResource", "broadcast", 1, 0, "none", []),
        ("HorovodJoin", "join", 1, -1, "none", []),
    ] + ([("process set 1 HorovodBroadcast", "broadcast", 1, 0, "none", ["float32[3]"])] if rank == 1 else [])


@CONTROLLERS
def test_every_tensorflow_call_is_in_the_record(tmp_path, launcher, more):
    ranks = run_calls("tensorflow_calls.py", "horovod-tensorflow", launcher, tmp_path / "recording", LOCKSTEP_CHECKSUMS="1", **more)
    for rank, records in enumerate(ranks):
        assert sorted(calls_of(records)) == sorted(expected_tensorflow_calls(rank))
        check_ends(records)
    in_graph = {("horovod sums", 1), ("horovod sums", 2)}
    assert in_graph <= sums_of(ranks[0], "input", "all_reduce").keys()
    for operation in ("all_reduce", "all_gather"):
        results, others = (sums_of(records, "output", operation) for records in ranks)
        common = results.keys() & others.keys()
        assert common and all(results[call] == others[call] for call in common)


def faulty_run(script, env, fault, recording, launcher="horovodrun_gloo", steps=6, **more):
    job = Job("faulty", env, HERE / script, RANKS, (launcher,))
    environ = recorder(recording, LAB_FAULT=fault, **more)
    return JobRun(RunSpec(job, launcher, ranks=RANKS, steps=steps, timeout_s=TIMEOUT_S, environ=environ))


MISSED = [("PERF-HANG", "desync.missing_rank")]
VERDICTS = {
    "skip": MISSED,
    "skip_last": MISSED,
    "refused": [("RUN-COMM", "mismatch.reduce_op"), ("RUN-TENSOR", "mismatch.data_type"), ("RUN-TENSOR", "mismatch.shape")],
    "reuse": [("RUN-COMM", "desync.dead_rank")],
    "leave": [("PERF-HANG", "desync.ended_early")],
}


def check_verdict(run, recording, expected, root=FAULTY):
    wait_for_verdict(run, recording, [(*kind, root) for kind in expected])


def check_faults(script, env, expected, folder):
    """Jobs that hang need no processor: some at a time."""
    with contextlib.ExitStack() as stack:
        runs = {fault: stack.enter_context(faulty_run(script, env, f"{fault}:{FAULTY}@3", folder / fault)) for fault in expected}
        for fault, run in runs.items():
            run.wait_for(FAULTY, STEPS_BEFORE)
            if fault == "leave":
                run.wait()
            check_verdict(run, folder / fault, MISSED if fault == "leave" and was_cut_off(folder / fault) else expected[fault])


def was_cut_off(recording):
    """Horovod's launcher ends all ranks when one leaves: on a busy machine that one too, before it can say that it is done."""
    return not records_of(recording, FAULTY)[-1]["goodbye"]


@pytest.mark.parametrize("faults", [("skip", "refused"), ("skip_last", "reuse", "leave")], ids="-".join)
def test_the_faulty_rank_is_named(faults, tmp_path):
    check_faults("torch_faults.py", "horovod-torch", {fault: VERDICTS[fault] for fault in faults}, tmp_path)


def test_the_faulty_rank_is_named_in_graphs(tmp_path):
    expected = {"skip": VERDICTS["skip"], "shape": [("RUN-TENSOR", "mismatch.shape")]}
    check_faults("tensorflow_faults.py", "horovod-tensorflow", expected, tmp_path)


@pytest.mark.parametrize("harm, launcher, more", [("kill", "horovodrun_gloo", {}), ("stop", "mpirun", MPI_ADAPTER)], ids=str)
def test_a_rank_that_was_killed_or_stopped_is_named(harm, launcher, more, tmp_path):
    """While it waits for data: a rank that had come to the collective left nothing to tell it from the others."""
    expected = MISSED
    with faulty_run("torch_faults.py", "horovod-torch", f"missing:{FAULTY}@3", tmp_path / "recording", launcher, **more) as run:
        run.wait_for(FAULTY, STEPS_BEFORE)
        check_verdict(run, tmp_path / "recording", expected)
        getattr(run, harm)(FAULTY)
        check_verdict(run, tmp_path / "recording", expected)


def test_a_failing_job_fails_as_it_would(tmp_path):
    fault = f"shape:{FAULTY}@1"
    with faulty_run("torch_faults.py", "horovod-torch", fault, tmp_path / "recording") as on, \
            faulty_run("torch_faults.py", "horovod-torch", fault, "", LOCKSTEP_RECORD="") as off:
        assert on.wait().status == off.wait().status != 0
        words = [[traceback_of(run, rank) for rank in range(RANKS)] for run in (on, off)]
        assert words[0] == words[1] and all("Mismatched ALLREDUCE tensor shapes" in text for text in words[0])
        check_verdict(on, tmp_path / "recording", [("RUN-TENSOR", "mismatch.shape")])


def traceback_of(run, rank):
    text = (run.folder / f"rank_{rank}.err").read_text()
    found = re.search(r"Traceback.*?HorovodInternalError: [^\n]*", text, re.DOTALL).group()
    return re.sub(r"shape \[\d+\]", "shape [...]", found)  # whoever comes first is named first
