"""`lockstep serve` and its clients: jobs go in with a script and a worker count, and come to the same end as by hand."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest

from harness.job_run import JobRun
from harness.registry import REPOSITORY, python_of
from harness.run_spec import RunSpec
from pty_session import PtySession
from service_client import JOBS, LOCKSTEP, LONG_S, Service, UnixConnection, lockstep, pids_with, wait_until

KILLS = int(os.environ.get("LOCKSTEP_KILLS", "10"))
EVERY_FRAMEWORK = {"torch_ddp": "env", "tf_custom_loop": "tf_config", "keras_fit": "tf_config", "keras_torch_ddp": "env",
                   "horovod_torch": "horovodrun_gloo", "horovod_keras": "horovodrun_gloo"}
SOME_FRAMEWORKS = ["torch_ddp", "horovod_torch"]
FRAMEWORKS = list(EVERY_FRAMEWORK) if os.environ.get("LOCKSTEP_FRAMEWORKS") == "all" else SOME_FRAMEWORKS


@pytest.fixture
def service(tmp_path):
    with Service(tmp_path / "s") as made:
        yield made


@pytest.fixture
def folder(tmp_path):
    """Of a service that starts by itself."""
    yield tmp_path / "s"
    Service(tmp_path / "s").end()


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_script_and_a_worker_count_are_enough(jobs, name, folder):
    job = jobs[name]
    python = pathlib.Path(python_of(job.env))
    with JobRun(RunSpec(job, launcher=EVERY_FRAMEWORK[name], ranks=2, timeout_s=LONG_S)) as run:
        by_hand = run.wait()
    environ = os.environ | job.environ | {"PATH": f"{python.parent}:{os.environ['PATH']}"}
    done = lockstep(folder, "submit", job.script.name, "--workers", "2", "--follow", environ=environ, cwd=job.script.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    losses = {rank: {int(step): loss for step, loss in re.findall(rf"lab rank={rank} step=(\d+) loss=(\S+)", done.stdout)}
              for rank in range(2)}
    params = {rank: re.search(rf"lab rank={rank} done params=(\S+)", done.stdout).group(1) for rank in range(2)}
    assert (losses, params) == (by_hand.losses, by_hand.params)


def test_a_failing_job_is_explained(service):
    status, job = service.post({"script": str(JOBS / "fails.py"), "workers": 3, "environment": {"NCCL_SOCKET_NTHREADS": "32"}})
    assert status == 201 and job["state"] == "QUEUED"
    assert job["resolved"]["framework"]["value"] == "plain"
    done = service.wait_for(job["id"])
    assert done["state"] == "FAILED" and done["reason"] == done["diagnosis"]["findings"][0]["title"]
    assert done["last_attempt"]["first_failed_rank"] == 1
    ranks = {rank["rank"]: rank for rank in done["last_attempt"]["ranks"]}
    assert ranks[1]["exit_status"] == 1 and not ranks[1]["was_asked_to_end"]
    assert ranks[0]["was_asked_to_end"] and ranks[2]["was_asked_to_end"]
    finding = done["diagnosis"]["findings"][0]
    assert finding["code"] == "script.exception" and finding["root_ranks"] == [1]
    [warning] = done["check"]["findings"]
    assert "NCCL_SOCKET_NTHREADS" in json.dumps(warning)
    assert service.get(f"/v1/jobs/{job['id']}/findings")[1]["diagnoses"][0]["check"] == done["check"]
    shown = lockstep(service.folder, "jobs", job["id"])
    assert f"[{warning['code']}]" in shown.stderr
    assert shown.returncode == 1 and "learning rate must be positive" in shown.stderr
    assert [event["kind"] for event in service.get(f"/v1/jobs/{job['id']}/events")[1]["events"]] == ["queued", "started", "failed"]


def test_a_service_starts_when_it_is_needed(folder):
    words = ["submit", "--workers", "2", "--wait", "--", "/bin/sh", "-c", "echo $RANK/$WORLD_SIZE; exit $((RANK * 7))"]
    done = lockstep(folder, *words)
    assert done.returncode == 7, done.stderr
    name = re.search(r"job_\w+", done.stderr).group()
    assert sorted(lockstep(folder, "logs", name).stdout.split("\n")) == ["", "[0] 0/2", "[1] 1/2"]
    assert lockstep(folder, "logs", "--rank", "1", name).stdout == "[1] 1/2\n"
    assert name in lockstep(folder, "jobs").stdout


def test_a_decorated_function_submits_its_script(folder):
    environ = os.environ | {"LOCKSTEP_STATE": str(folder), "LOCKSTEP_PROGRAM": str(LOCKSTEP),
                            "PYTHONPATH": str(REPOSITORY / "clients/python"), "PYTHONDONTWRITEBYTECODE": "1"}
    for status in (0, 5):
        done = subprocess.run(["/usr/bin/python3", JOBS / "decorated.py", "word", str(status)], capture_output=True, text=True,
                              env=environ, timeout=LONG_S)
        assert sorted(done.stdout.splitlines()) == [f"[{rank}] rank {rank} of 2 got word" for rank in range(2)], done.stderr
        assert done.returncode == (1 if status else 0)
        assert ("JobFailed: the job ended with status 5" in done.stderr) == bool(status)


def test_a_decorated_function_reads_files_that_came_along(folder, tmp_path):
    here = tmp_path / "here"
    (here / "data").mkdir(parents=True)
    (here / "data/table.bin").write_bytes(bytes(range(256)))
    (here / "model.py").write_text("answer = 42\n")
    (here / "train.py").write_text("import os, pathlib\n"
                                   "import lockstep\n"
                                   "@lockstep.train(workers=2, files=['model.py', 'data/'])\n"
                                   "def main():\n"
                                   "    import model\n"
                                   "    here = pathlib.Path.cwd()\n"
                                   f"    assert here != pathlib.Path({str(here)!r})\n"
                                   "    print(os.environ['RANK'], model.answer, sum((here / 'data/table.bin').read_bytes()))\n"
                                   "main()\n")
    environ = os.environ | {"LOCKSTEP_STATE": str(folder), "LOCKSTEP_PROGRAM": str(LOCKSTEP),
                            "PYTHONPATH": str(REPOSITORY / "clients/python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["/usr/bin/python3", "train.py"], capture_output=True, text=True, env=environ, cwd=here, timeout=LONG_S)
    assert sorted(done.stdout.splitlines()) == [f"[{rank}] {rank} 42 32640" for rank in range(2)], done.stderr
    assert done.returncode == 0


def test_what_a_script_needs_is_sent_along(folder, tmp_path):
    here = tmp_path / "here"
    (here / "parts/.hidden").mkdir(parents=True)
    (here / "parts/.hidden/x").write_text("no")
    (here / "parts/table.bin").write_bytes(bytes(range(256)))
    (here / "model.py").write_text("answer = 42\n")
    (here / "train.py").write_text("import pathlib, model\n"
                                   "assert pathlib.Path('parts/table.bin').read_bytes() == bytes(range(256))\n"
                                   "print(model.answer, sorted(str(path) for path in pathlib.Path('.').rglob('*') if 'pycache' not in str(path)))\n")
    command = ["submit", "train.py", "--files", "model.py", "--files", "parts/", "--follow"]
    done = lockstep(folder, *command, cwd=here)
    assert done.stdout == "[0] 42 ['model.py', 'parts', 'parts/table.bin', 'train.py']\n", done.stderr
    (here / "parts/large.bin").write_bytes(bytes(6_000_000))
    done = lockstep(folder, *command, cwd=here)
    assert done.returncode == 2 and "too much to send along: parts/large.bin" in done.stderr, done.stderr


def test_a_wait_shows_how_far_the_job_is(service):
    environ = {"LOCKSTEP_STATE": str(service.folder)}
    with PtySession([LOCKSTEP, "submit", "--wait", "--", "/bin/sh", "-c", "echo step 7 of 9; sleep 4; exit 3"], **environ) as session:
        session.wait_for(lambda text: re.search(r"lockstep: runs, \d+ s \[0\] step 7 of 9", text))
        session.wait_for("FAILED: rank 0 ended with status 3")
        assert session.wait() == 3 and "runs," not in session.screen.text


@pytest.fixture
def cpp_program(tmp_path):
    program = tmp_path / "program"
    subprocess.run(["g++-12", "-std=c++20", "-Wall", "-Werror", JOBS / "client_program.cc", f"-I{REPOSITORY / 'clients/cpp/include'}",
                    f"-L{LOCKSTEP.parent / 'lib'}", "-llockstep_client", f"-Wl,-rpath,{LOCKSTEP.parent / 'lib'}", "-o", program],
                   check=True)
    return program


def test_a_cpp_program_submits(folder, cpp_program):
    said = subprocess.run([cpp_program, LOCKSTEP, "echo here; exit $((RANK * 5))"], capture_output=True, text=True,
                          env=os.environ | {"LOCKSTEP_STATE": str(folder)}, timeout=LONG_S).stdout.splitlines()
    assert sorted(said[:2]) == ["[0] here", "[1] here"]
    assert said[2] == "FAILED, rank 1, status 5"
    assert said[3].startswith("This job cannot run: /script cannot be read")


def test_a_cpp_program_follows_through_a_restart(service, cpp_program):
    command = "for n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.3; done"
    with subprocess.Popen([cpp_program, LOCKSTEP, command], stdout=subprocess.PIPE, text=True,
                          env=os.environ | {"LOCKSTEP_STATE": str(service.folder)}) as program:
        first = program.stdout.readline()
        service.kill()
        time.sleep(0.7)  # what is printed meanwhile must not be lost
        service.start()
        said = [first.strip(), *program.stdout.read().splitlines()]
    for rank in range(2):
        assert [line for line in said if line.startswith(f"[{rank}]")] == [f"[{rank}] {n}" for n in range(1, 9)], said
    assert "SUCCEEDED, rank -1, status 0" in said


def test_secrets_stay_secret(service):
    secret = "hunter2-hunter2"
    status, job = service.post({"command": ["/bin/sh", "-c", "test -n \"$TOKEN\""], "workers": 1, "environment": {"TOKEN": secret}})
    assert status == 201 and secret not in json.dumps(job)
    assert service.wait_for(job["id"])["state"] == "SUCCEEDED"
    assert secret not in json.dumps(service.job(job["id"]))
    for file in service.folder.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file


def test_cancel_ends_every_process(service, tmp_path):
    mark = f"lockstep-service-test-{os.getpid()}"
    command = ["/bin/sh", "-c", f"trap '' TERM; sleep 600 & exec sleep 600 # {mark}"]
    name = service.post({"command": command, "workers": 2, "environment": {"MARK": mark}})[1]["id"]
    service.wait_for(name, ["RUNNING"])
    wait_until(lambda: len(processes_with(mark)) >= 2, "the ranks run")
    assert service.request("POST", f"/v1/jobs/{name}/cancel")[0] == 202
    assert service.wait_for(name)["state"] == "CANCELLED"
    wait_until(lambda: not processes_with(mark), "no process is left")
    assert service.request("DELETE", f"/v1/jobs/{name}")[0] == 204
    assert service.get(f"/v1/jobs/{name}")[0] == 404


def test_a_job_that_ends_well_because_it_was_cancelled_is_cancelled(service, tmp_path):
    command = ["/bin/sh", "-c", f"trap 'exit 0' TERM; touch {tmp_path}/$RANK; while :; do sleep 0.1; done"]
    name = service.post({"command": command, "workers": 2})[1]["id"]
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2, "the ranks run")
    service.request("POST", f"/v1/jobs/{name}/cancel")
    done = service.wait_for(name)
    assert (done["state"], done["reason"]) == ("CANCELLED", "cancelled"), service.events(name)


def processes_with(mark):
    found = []
    for environ in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"MARK={mark}".encode() in environ.read_bytes():
                found.append(environ.parent.name)
        except OSError:
            pass
    return found


def test_a_wish_to_cancel_outlives_the_keeper_that_did_not_hear_it(service, tmp_path):
    """All who knew of it were lost before the attempt had begun, as when the power goes: the attempt is not begun to be ended later."""
    mark = str(tmp_path / "mark")
    name = service.post({"command": ["/bin/sh", "-c", f"sleep 600 # {mark}"], "workers": 1})[1]["id"]
    wait_until(lambda: pids_with(mark), "the rank runs")
    folder = service.folder / "jobs" / name / "1"
    keeper = int((folder / "started").read_text())
    os.kill(keeper, signal.SIGSTOP)
    service.request("POST", f"/v1/jobs/{name}/cancel")
    service.kill()
    for pid in [keeper, *pids_with(str(folder)), *pids_with(mark)]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    wait_until(lambda: not pids_with(mark), "nothing runs on")
    shutil.rmtree(folder)
    service.start()
    assert service.wait_for(name)["state"] == "CANCELLED"
    assert not pids_with(mark) and not (folder / "output").exists()


def test_a_failed_job_is_retried_and_a_slow_one_ended(service):
    retried = service.post({"command": ["/bin/sh", "-c", "test $LOCKSTEP_ATTEMPT = 2"], "workers": 1, "retries": 2})[1]
    limited = service.post({"command": ["sleep", "600"], "workers": 1, "time_limit_s": 1})[1]
    done = service.wait_for(retried["id"])
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", 2)
    done = service.wait_for(limited["id"])
    assert done["state"] == "FAILED" and done["reason"] == "ended at its time limit of 1 s"


REFUSALS = [
    ({"script": "/nowhere/train.py", "workers": 2}, 422, "job_refused", "/script"),
    ({"script": "train.py", "workers": 2}, 422, "job_refused", "/script"),
    ({"command": ["true"], "workers": 2, "cpus_per_worker": 4096}, 422, "job_refused", "/cpus_per_worker"),
    ({"command": ["true"], "workers": 1, "gpus_per_worker": 64}, 422, "job_refused", "/gpus_per_worker"),
    ({"command": ["true"], "workers": 4096, "memory_per_worker": 1 << 45}, 422, "job_refused", "/memory_per_worker"),
    ({"command": ["true"], "workers": 1, "files": {"../../x": ""}}, 422, "job_refused", "/files/..~1..~1x"),
    ({"command": ["true"], "workers": 1, "directory": "/nowhere"}, 422, "job_refused", "/directory"),
    ({"command": ["true"], "worker": 1}, 422, "job_refused", "/worker"),
    ("{", 400, "bad_json", None),
    ("[" * 100_000, 400, "bad_json", None),
]


def test_what_cannot_run_is_refused_at_once(service):
    for body, status, code, pointer in REFUSALS:
        answer = service.post(body)
        assert answer[0] == status and answer[1]["code"] == code, (body, answer)
        assert pointer is None or pointer in [error["pointer"] for error in answer[1]["errors"]], (body, answer)


def test_hostile_requests_are_refused(service):
    for request, status in [(b"GET /v1/jobs/../../etc/passwd HTTP/1.1\r\n\r\n", 404),
                            (b"GET /v1/jobs/%2e%2e%2fkey HTTP/1.1\r\n\r\n", 404),
                            (b"GET /v1/jobs/%zz HTTP/1.1\r\n\r\n", 400),
                            (b"GET /livez HTTP/1.1\r\n" + b"X: y\r\n" * 10_000 + b"\r\n", 431),
                            (b"POST /v1/jobs HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
                            (b"BREW /livez HTTP/1.1\r\n\r\n", 405),
                            (b"\x16\x03\x01\x02\x00", None)]:
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(LONG_S)
            one.connect(str(service.socket))
            one.sendall(request)
            if status is None:
                one.shutdown(socket.SHUT_WR)
            answer = one.recv(4096)
        assert status is None or answer.startswith(f"HTTP/1.1 {status} ".encode()), (request[:60], answer[:100])
    assert service.answers()


def test_queries_pages_and_keys(service):
    body = {"command": ["true"], "workers": 1, "labels": {"kind": "page"}}
    key = {"Idempotency-Key": f"k{random.random()}"}
    first = service.post(body, key)[1]["id"]
    assert service.post(body, key)[1]["id"] == first
    assert service.post(body | {"workers": 2}, key)[1]["code"] == "idempotency_key_reused"
    for unsound in ("", "a b", "k\xe9", "k" * 256):
        status, problem = service.post(body, {"Idempotency-Key": unsound})
        assert (status, problem["code"]) == (400, "bad_idempotency_key")
    names = {first} | {service.post(body)[1]["id"] for _ in range(4)}
    seen, cursor = [], ""
    while cursor is not None:
        page = service.get(f"/v1/jobs?label=kind%3Dpage&limit=2{'&cursor=' + cursor if cursor else ''}")[1]
        seen += [job["id"] for job in page["jobs"]]
        cursor = page["next_cursor"]
    assert len(seen) == 5 and set(seen) == names
    for query in ["limit=0", "limit=x", "state=HAPPY", "label=x", "cursor=x", "colour=red"]:
        assert service.get(f"/v1/jobs?{query}")[1]["code"] == "bad_query", query
    assert service.get("/openapi.json")[1]["openapi"] == "3.1.0"
    assert "lockstep_jobs" in service.get("/metrics")[1]
    assert service.get("/readyz")[0] == 200


def test_a_stream_goes_on_where_it_was_left(service, tmp_path):
    words = [str(JOBS / "count.py"), "40", "0.01", str(tmp_path)]
    name = service.post({"command": ["/usr/bin/python3", *words], "workers": 2})[1]["id"]
    seen, last = [], None
    for _ in range(1000):
        connection = UnixConnection(service.socket)
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last} if last else {})
        connection.request("GET", f"/v1/jobs/{name}/logs?follow=true", headers=headers)
        stream, is_over = connection.getresponse(), False
        for _ in range(3 * 7):  # leave after some events, in the middle of it all
            line = stream.readline().decode().rstrip("\n")
            is_over |= line.startswith("event: end")
            if line.startswith("id: "):
                last = line[4:]
            elif line.startswith("data: ") and not is_over:
                seen.append(json.loads(line[6:])["text"])
        connection.close()
        if is_over:
            break
    assert sorted(seen) == sorted(f"rank {rank} of 2 line {line}" for rank in range(2) for line in range(40))


def test_no_kill_of_the_service_loses_or_repeats_anything(service, tmp_path):
    """Killed again and again, at any moment, while jobs come in, run and end."""
    chance = random.Random(KILLS)
    words = ["/usr/bin/python3", str(JOBS / "count.py"), "10", "0.01", str(tmp_path)]
    names = []
    for number in range(KILLS):
        for attempt in range(3):
            body = {"command": words, "workers": 1 + attempt % 2}
            key = {"Idempotency-Key": f"{number}-{attempt}"}
            names.append(wait_until(lambda: try_to_post(service, body, key), "the job is accepted"))
        killing = subprocess.Popen(["sleep", str(chance.uniform(0, 0.5))])
        killing.wait()
        service.kill()
        service.start()
    for name in names:
        done = service.wait_for(name)
        assert done["state"] == "SUCCEEDED" and done["attempts"] == 1, done
        workers = done["request"]["workers"]
        text = service.get(f"/v1/jobs/{name}/logs")[1]
        assert sorted(text.splitlines()) == sorted(
            f"[{rank}] rank {rank} of {workers} line {line}" for rank in range(workers) for line in range(10))
    ran = (tmp_path / "ran").read_text().splitlines()
    assert len(ran) == len(set(ran)) == sum(service.job(name)["request"]["workers"] for name in names)


def try_to_post(service, body, key):
    try:
        status, job = service.post(body, key)
    except OSError:
        return None
    assert status == 201, job
    return job["id"]
