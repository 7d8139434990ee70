"""Services that keep their jobs in PostgreSQL: several on one database, killed, and with a database that crashes."""

import pathlib
import subprocess

import pytest

from postgres_server import PASSWORD, PostgresServer
from service_client import JOBS, LOCKSTEP, Service, wait_until

KILLS = 5


@pytest.fixture
def server():
    with PostgresServer() as made:
        yield made


class ServiceOnPostgres(Service):
    def __init__(self, folder, server):
        super().__init__(folder)
        self.words = ["--store", server.address()]
        folder.mkdir()
        (folder / "pgpass").write_text(f"*:*:*:*:{PASSWORD}\n")
        (folder / "pgpass").chmod(0o600)
        self.environ["PGPASSFILE"] = str(folder / "pgpass")

    def __enter__(self):
        return self.start()

    def start(self, *words):
        return super().start(*self.words, *words)


@pytest.fixture
def service(server, tmp_path):
    with ServiceOnPostgres(tmp_path / "s", server) as made:
        yield made


def counting(tmp_path, lines=10):
    return ["/usr/bin/python3", str(JOBS / "count.py"), str(lines), "0.02", str(tmp_path)]


def test_no_kill_of_the_service_loses_or_repeats_anything(service, tmp_path):
    names = []
    for number in range(KILLS):
        status, job = service.post({"command": counting(tmp_path), "workers": 2}, {"Idempotency-Key": f"{tmp_path}-{number}"})
        assert status == 201, job
        names.append(job["id"])
        if number:
            wait_until(lambda: service.job(names[0])["state"] != "QUEUED", "the first runs")
        service.kill()
        service.start()
        again = service.post({"command": counting(tmp_path), "workers": 2}, {"Idempotency-Key": f"{tmp_path}-{number}"})
        assert (again[0], again[1]["id"]) == (201, names[-1])
    for name in names:
        done = service.wait_for(name)
        assert done["state"] == "SUCCEEDED" and done["attempts"] == 1, done
        assert sorted(service.get(f"/v1/jobs/{name}/logs")[1].splitlines()) == sorted(
            f"[{rank}] rank {rank} of 2 line {line}" for rank in range(2) for line in range(10))
        kinds = [event["kind"] for event in service.get(f"/v1/jobs/{name}/events")[1]["events"]]
        assert kinds == ["queued", "started", "succeeded"]
    ran = (tmp_path / "ran").read_text().splitlines()
    assert len(ran) == len(set(ran)) == 2 * KILLS
    assert not (service.folder / "jobs.db").exists()


def test_a_crash_of_the_database_is_survived(service, server, tmp_path):
    name = service.post({"command": counting(tmp_path, 50), "workers": 1})[1]["id"]
    wait_until(lambda: service.job(name)["state"] == "RUNNING", "it runs")
    server.crash()
    try:
        refused = service.post({"command": ["true"], "workers": 1})
        assert (refused[0], refused[1]["code"]) == (503, "store_unreachable"), refused
        assert service.get("/readyz")[0] == 503 and service.get("/livez")[0] == 200
        wait_until(lambda: (service.folder / f"jobs/{name}/1/end.json").exists(), "the job ends meanwhile")
        said = service.folder.parent / "service.err"
        wait_until(lambda: "the job store cannot be reached" in said.read_text(), "it is told")
    finally:
        server.start()
    wait_until(lambda: service.get(f"/v1/jobs/{name}")[0] == 200, "the store is back")
    assert service.wait_for(name)["state"] == "SUCCEEDED"
    kinds = [event["kind"] for event in service.get(f"/v1/jobs/{name}/events")[1]["events"]]
    assert kinds == ["queued", "started", "succeeded"]
    assert said.read_text().count("the job store cannot be reached") == 1
    assert service.wait_for(service.post({"command": ["true"], "workers": 1})[1]["id"])["state"] == "SUCCEEDED"


def test_services_share_a_database_and_no_job(service, server, tmp_path):
    with ServiceOnPostgres(tmp_path / "t", server) as other:
        key = {"Idempotency-Key": f"{tmp_path}"}
        body = {"command": counting(tmp_path, 100_000), "workers": 1, "environment": {"API_KEY": "hunter2-hunter2"}}
        name = service.post(body, key)[1]["id"]
        assert other.post(body, key)[1]["id"] == name
        wait_until(lambda: other.job(name)["state"] == "RUNNING", "both see it run")
        assert name in [job["id"] for job in other.get("/v1/jobs")[1]["jobs"]]
        home = other.job(name)["service"]
        assert home == service.job(name)["service"] != other.post({"command": ["true"], "workers": 1})[1]["service"]
        for path in ("logs", "artifacts", "report"):
            status, problem = other.get(f"/v1/jobs/{name}/{path}")
            assert (status, problem["code"], problem["detail"]) == (421, "job_elsewhere", home), path
        assert "hunter2-hunter2" not in server.dump()
        assert service.get(f"/v1/jobs/{name}/logs")[0] == 200
        assert other.request("POST", f"/v1/jobs/{name}/cancel")[0] == 202
        assert service.wait_for(name)["state"] == "CANCELLED"
        assert other.request("DELETE", f"/v1/jobs/{name}")[0] == 421 and service.request("DELETE", f"/v1/jobs/{name}")[0] == 204
        assert len((tmp_path / "ran").read_text().splitlines()) == 1


def test_a_password_is_seen_nowhere(server, tmp_path):
    typed = subprocess.run([LOCKSTEP, "serve", "--state", tmp_path / "s", "--store", server.address(PASSWORD)], capture_output=True, text=True)
    assert typed.returncode == 2 and "PGPASSFILE" in typed.stderr and PASSWORD not in typed.stderr, typed.stderr
    service = ServiceOnPostgres(tmp_path / "s", server)
    service.words = []
    service.environ |= {"LOCKSTEP_STORE": server.address(PASSWORD), "PGPASSFILE": "/nowhere"}
    with service:
        name = service.post({"command": ["env"], "workers": 1})[1]["id"]
        assert service.wait_for(name)["state"] == "SUCCEEDED"
        seen = [service.get(path)[1] for path in ("/metrics", "/readyz", "/openapi.json", f"/v1/jobs/{name}", f"/v1/jobs/{name}/logs")]
        seen += [path.read_bytes().decode(errors="replace") for path in [tmp_path / "service.err", pathlib.Path(f"/proc/{service.process.pid}/cmdline"),
                                                                         *service.folder.rglob("*")] if path.is_file() and path.name != "pgpass"]
        assert PASSWORD not in str(seen)
        assert PASSWORD not in server.dump()
