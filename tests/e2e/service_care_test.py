"""What the service does for a job besides starting it: signs of life, limits of memory, what it leaves behind, and for how long."""

import fcntl
import os
import pathlib
import signal
import sqlite3
import subprocess
import threading
import time

import pytest

from service_client import JOBS, LOCKSTEP, Service, lockstep, wait_until


@pytest.fixture
def service(tmp_path):
    with Service(tmp_path / "s") as made:
        yield made


def test_ranks_give_signs_of_life(service):
    name = service.post({"command": ["sleep", "600"], "workers": 2})[1]["id"]

    def beats():
        return {rank["rank"]: rank["alive_at"] for rank in service.job(name).get("last_attempt", {}).get("ranks", [])}

    first = wait_until(lambda: len(beats()) == 2 and beats(), "both ranks live")
    wait_until(lambda: all(beats()[rank] > first[rank] for rank in range(2)), "both still live")
    assert lockstep(service.folder, "jobs", name).stdout.count("alive") == 2
    wrapper = parent_of_the_sleeper(service.folder / "jobs" / name)
    os.kill(wrapper, 19)  # SIGSTOP: the rank goes on, the sign of life does not
    try:
        held = wait_until(lambda: stands_still(beats), "one has stopped")
        assert held in (0, 1)
    finally:
        os.kill(wrapper, 18)


def test_a_rank_that_is_silent_is_named_and_then_ends_the_job(tmp_path):
    service = Service(tmp_path / "s")
    service.folder.mkdir()
    service.start("--silence", "1")
    try:
        name = service.post({"command": ["sleep", "600"], "workers": 2, "repairs": 0})[1]["id"]
        wait_until(lambda: len(service.job(name).get("last_attempt", {}).get("ranks", [])) == 2, "both ranks live")
        os.kill(parent_of_the_sleeper(service.folder / "jobs" / name), 19)  # SIGSTOP

        wait_until(lambda: ("silent", "rank 1 gave no sign of life for 1 s") in service.events(name), "the silence is told")
        assert service.job(name)["state"] == "RUNNING"
        done = service.wait_for(name)
        assert done["state"] == "FAILED" and done["reason"] == "rank 1 gave no sign of life for 10 s", done
        finding = done["diagnosis"]["findings"][0]
        assert (finding["code"], finding["root_ranks"], finding["victim_ranks"]) == ("desync.stopped_rank", [1], [0])
        kind, detail = service.events(name)[-1]
        assert kind == "failed" and detail.startswith(done["reason"]), detail
    finally:
        service.end()


def test_a_scheduler_may_signal_the_rank_first(service, tmp_path):
    """It signals all processes of a job, in no order. A rank that is gone before its wrapper is told was told to end as well: it is no
    preemption of one rank, after which the job would be started again."""
    command = ["/bin/sh", "-c", f"echo $$ >{tmp_path}/new; mv {tmp_path}/new {tmp_path}/rank; exec sleep 600"]
    name = service.post({"command": command, "workers": 1})[1]["id"]
    wait_until((tmp_path / "rank").exists, "the rank runs")
    rank = pathlib.Path("/proc") / (tmp_path / "rank").read_text().strip()
    wrapper = int((rank / "stat").read_text().rpartition(") ")[2].split()[1])
    os.kill(int(rank.name), signal.SIGTERM)
    while rank.exists():
        pass
    os.kill(wrapper, signal.SIGTERM)
    done = service.wait_for(name)
    assert (done["state"], done["attempts"]) == ("FAILED", 1), service.events(name)
    assert [one["was_asked_to_end"] for one in done["last_attempt"]["ranks"]] == [True]


def stands_still(beats):
    before = beats()
    time.sleep(2.5)
    after = beats()
    held = [rank for rank in before if after[rank] == before[rank]]
    return held[0] if len(held) == 1 else None


def parent_of_the_sleeper(folder):
    """The wrapper of one rank: what keeps that rank's sign of life open."""
    for link in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(link) == str(folder / "1/ranks/rank_1.alive"):
                return int(link.parts[2])
        except OSError:
            pass
    raise AssertionError("no wrapper")


def test_a_limit_of_memory_holds_and_is_explained(service):
    name = service.post({"script": str(JOBS / "takes_memory.py"), "python": "/usr/bin/python3", "workers": 2,
                         "memory_per_worker": 128 << 20})[1]["id"]
    done = service.wait_for(name)
    assert done["state"] == "FAILED" and done["reason"] == "rank 1 went over its memory limit of 128 MiB", done
    ranks = {rank["rank"]: rank["hit_memory_limit"] for rank in done["last_attempt"]["ranks"]}
    assert ranks == {0: False, 1: True}
    assert done["diagnosis"]["findings"][0]["leaf"] == "RUN-MEM" and done["diagnosis"]["findings"][0]["root_ranks"] == [1]


def test_what_a_job_leaves_behind_can_be_fetched(service, tmp_path):
    script = ("import os, pathlib\n"
              "here = pathlib.Path('checkpoints'); here.mkdir(exist_ok=True)\n"
              "(here / f\"rank {os.environ['RANK']}.pt\").write_bytes(bytes(range(256)) * 1000)\n"
              "assert os.environ['LOCKSTEP_ARTIFACTS_DIR'] == os.getcwd()\n")
    name = service.post({"script": "train.py", "files": {"train.py": script}, "workers": 2})[1]["id"]
    assert service.wait_for(name)["state"] == "SUCCEEDED"
    listed = service.get(f"/v1/jobs/{name}/artifacts")[1]
    assert [(one["path"], one["bytes"]) for one in listed["artifacts"]] == [(f"checkpoints/rank {n}.pt", 256_000) for n in range(2)]
    shown = lockstep(service.folder, "jobs", name, "--download", str(tmp_path / "out"))
    assert shown.returncode == 0 and "artifact checkpoints/rank 1.pt (256000 bytes)" in shown.stdout, shown.stderr
    assert (tmp_path / "out/checkpoints/rank 1.pt").read_bytes() == bytes(range(256)) * 1000
    (service.folder / f"jobs/{name}/files/link").symlink_to("/etc/passwd")
    for path in ["train.pyc", "../1/plan.json", "/etc/passwd", "link", "checkpoints", ""]:
        status, problem = service.get(f"/v1/jobs/{name}/artifacts/content?path={path}")
        assert (status, problem["code"]) == (404, "artifact_not_found"), path
    assert service.get(f"/v1/jobs/{name}/artifacts/content")[1]["code"] == "bad_query"


def test_old_jobs_are_forgotten(service):
    made, young = [service.post({"command": ["true"], "workers": 1})[1]["id"] for _ in range(2)]
    for name in (made, young):
        service.wait_for(name)
    service.process.terminate()
    service.process.wait()
    old = made_old(service.folder, made)
    service.start()
    assert service.get(f"/v1/jobs/{old}")[0] == 200  # kept for ever unless told otherwise
    service.process.terminate()
    service.process.wait()
    service.start("--keep-days", "2")
    wait_until(lambda: service.get(f"/v1/jobs/{old}")[0] == 404, "the old job is gone")
    assert not (service.folder / "jobs" / old).exists()
    assert service.get(f"/v1/jobs/{young}")[0] == 200


def made_old(folder, name):
    """As if it had been made and had ended in 1970: its name tells the time too."""
    old = f"job_{'0' * 10}{name[14:]}"
    with sqlite3.connect(folder / "jobs.db") as store:
        store.execute("UPDATE jobs SET id = ?, body = json_set(body, '$.id', ?), ended_ms = 1 WHERE id = ?", (old, old, name))
        for table in ("attempts", "events"):
            store.execute(f"UPDATE {table} SET job_id = ? WHERE job_id = ?", (old, name))
    (folder / "jobs" / name).rename(folder / "jobs" / old)
    return old


def test_one_service_serves_a_folder(service):
    second = subprocess.run([LOCKSTEP, "serve", "--state", service.folder], capture_output=True, text=True, timeout=300)
    assert second.returncode == 2 and "another service is already running there" in second.stderr
    service.kill()
    with (service.folder / "service.lock").open() as lock:  # as a keeper does that is just being started
        fcntl.flock(lock, fcntl.LOCK_EX)
        letting_go = threading.Timer(0.5, fcntl.flock, (lock, fcntl.LOCK_UN))
        letting_go.start()
        service.start()
        letting_go.join()
