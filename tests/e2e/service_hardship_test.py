"""The service in hardship: no descriptor left, a full disk, requests that cost much, names that no file system takes."""

import json
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import sys

import pytest

from service_client import LOCKSTEP, LONG_S, Service, UnixConnection, wait_until

DESCRIPTORS = 64
STREAMS = 160


@pytest.fixture
def service(tmp_path):
    with Service(tmp_path / "s") as made:
        yield made


def stream_of(service, name):
    """A reader that asks for a log and never reads it."""
    one = socket.socket(socket.AF_UNIX)
    one.connect(str(service.socket))
    one.sendall(f"GET /v1/jobs/{name}/logs?follow=true HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return one


def test_a_job_runs_once_when_no_descriptor_is_left(service, tmp_path):
    """Readers take all that they get; what decides whether a job ended well can still be read."""
    resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    streams = []
    try:
        go_on = tmp_path / "go_on"
        ran = tmp_path / "ran"
        body = {"command": ["sh", "-c", f"echo begun >> {ran}; until [ -e {go_on} ]; do sleep 0.1; done"], "workers": 1, "retries": 2}
        name = service.post(body)[1]["id"]
        wait_until(ran.exists, "the job runs")
        streams = [stream_of(service, name) for _ in range(STREAMS)]
        fds = pathlib.Path(f"/proc/{service.process.pid}/fd")
        wait_until(lambda: len(list(fds.iterdir())) > DESCRIPTORS // 2, "the readers hold what they get")
        assert len(list(fds.iterdir())) <= DESCRIPTORS - 8, "some are left for work"
        go_on.touch()
        wait_until(lambda: (service.folder / f"jobs/{name}/1/end.json").exists(), "the job has ended")
        for one in streams:
            one.close()
        wait_until(service.answers, "there is room for who asks again")
        job = service.wait_for(name)
        assert job["state"] == "SUCCEEDED" and job["last_attempt"]["number"] == 1, job
        assert ran.read_text() == "begun\n", "it ran once"
    finally:
        for one in streams:
            one.close()
        wait_until(service.answers, "it can be ended")


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs a file system of its own")
@pytest.mark.parametrize("status", [0, 3])
def test_a_disk_that_is_full_at_the_end_changes_no_end(tmp_path, status):
    (tmp_path / "disk").mkdir()
    done = subprocess.run(["unshare", "-m", sys.executable, "-B", __file__, str(tmp_path), str(status)], capture_output=True, text=True,
                          timeout=LONG_S, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stdout + done.stderr


def run_on_a_disk_that_fills(tmp_path, status):
    disk = tmp_path / "disk"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk], check=True)
    service = Service(disk / "s")
    service.folder.mkdir()
    with open(tmp_path / "service.log", "wb") as log:
        service.process = subprocess.Popen([LOCKSTEP, "serve", "--state", service.folder], stdin=subprocess.DEVNULL, stderr=log)
    wait_until(service.answers, "the service answers")
    go_on, ran, done = (tmp_path / name for name in ("go_on", "ran", "done"))
    script = f"echo begun >> {ran}; until [ -e {go_on} ]; do sleep 0.1; done; yes line | head -n 20000; touch {done}; exit {status}"
    name = service.post({"command": ["sh", "-c", script], "workers": 1, "retries": 2 if status == 0 else 0,
                         "repairs": 0})[1]["id"]
    wait_until(ran.exists, "the job runs")
    with open(disk / "fill", "wb", buffering=0) as fill:
        for size in (1 << 16, 4096, 1):
            try:
                while fill.write(b"x" * size):
                    pass
            except OSError:
                pass
    go_on.touch()
    wait_until(done.exists, "the job has done its work")
    end = service.folder / f"jobs/{name}/1/end.json"
    wait_until(end.exists, "its end is on the disk that is full")
    assert json.loads(end.read_text())["exit_status"] == status
    assert service.job(name)["state"] in ("QUEUED", "RUNNING", "SUCCEEDED" if status == 0 else "FAILED")
    (disk / "fill").unlink()
    job = wait_until(lambda: (job := service.job(name))["state"] not in ("QUEUED", "RUNNING") and job, "the end is known")
    assert job["state"] == ("SUCCEEDED" if status == 0 else "FAILED"), job
    if status == 0:
        assert ran.read_text() == "begun\n", "it ran once"
    events = service.get(f"/v1/jobs/{name}/events")[1]["events"]
    assert any("No space left on device" in event["detail"] for event in events), events
    service.end()


def test_what_costs_much_is_refused_before_it_is_parsed(service):
    many = "{" + ",".join(f'"k{n}":1' for n in range(300_000)) + "}"
    status, problem = service.request("POST", "/v1/jobs", many)
    assert (status, problem["code"], problem["detail"]) == (400, "bad_json", "more than 4096 members")
    status, problem = service.request("POST", "/v1/jobs", '{"' + "k" * 7_000_000 + '": 1}')
    assert status == 400 and len(json.dumps(problem)) < 1000, "what came is not sent back"
    status, problem = service.request("POST", "/v1/jobs", "[" + "1," * 3_000_000 + "1]")
    assert (status, problem["detail"]) == (400, "more than 16384 items")


def test_names_of_files_are_checked_at_the_door(service):
    for names, pointer in [(["n" * 300], "/files/" + "n" * 300), (["t.py", "t.py/x"], "/files/t.py")]:
        status, problem = service.post({"script": "t.py", "workers": 1, "files": {name: "x" for name in names}})
        assert status == 422 and problem["errors"][0]["pointer"] == pointer, problem


def test_no_answer_is_taken_for_something_else(service):
    name = service.post({"script": "t.py", "files": {"t.py": "open('x.html', 'w').write('<script>')"}, "workers": 1})[1]["id"]
    service.wait_for(name)
    for path in ["/v1/jobs", f"/v1/jobs/{name}/logs", f"/v1/jobs/{name}/artifacts", f"/v1/jobs/{name}/artifacts/content?path=x.html",
                 "/", "/nowhere", "/openapi.json", "/livez"]:
        connection = UnixConnection(service.socket)
        connection.request("GET", path)
        assert connection.getresponse().getheader("X-Content-Type-Options") == "nosniff", path
        connection.close()


if __name__ == "__main__":
    run_on_a_disk_that_fills(pathlib.Path(sys.argv[1]), int(sys.argv[2]))
