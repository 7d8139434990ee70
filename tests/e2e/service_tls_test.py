"""The service for others: TLS, tokens, whose job is whose, and what a stranger gets."""

import json
import re
import socket
import ssl
import time

import pytest

from service_client import JOBS, LONG_S, lockstep
from tls_service import TlsService

BODY = json.dumps({"command": ["sleep", "600"], "workers": 1}).encode()


@pytest.fixture
def service(tmp_path):
    with TlsService(tmp_path / "s") as made:
        yield made


def test_a_token_lets_its_owner_in_and_nobody_else(service):
    ann, ann_id, _ = service.token("ann")
    bob, _, _ = service.token("bob")
    looker, _, _ = service.token("eve", "--scopes", "read")
    boss, _, _ = service.token("boss", "--scopes", "admin")
    for wrong in [None, "x", ann[:-1], ann + "0", ann_id]:
        status, problem, head = service.ask("GET", "/v1/jobs", wrong)
        assert (status, problem["code"]) == (401, "unauthenticated") and "WWW-Authenticate: Bearer" in head
    assert service.ask("POST", "/v1/jobs", looker, BODY)[1]["code"] == "forbidden"
    status, job, _ = service.ask("POST", "/v1/jobs", ann, BODY)
    assert status == 201 and job["owner"] == "ann"
    name = job["id"]
    for path in ["", "/attempts", "/findings", "/events", "/logs"]:
        assert service.ask("GET", f"/v1/jobs/{name}{path}", bob)[0] == 404, path
    assert service.ask("POST", f"/v1/jobs/{name}/cancel", bob)[0] == 404
    assert service.ask("DELETE", f"/v1/jobs/{name}", bob)[0] == 404
    assert service.ask("GET", "/v1/jobs", bob)[1]["jobs"] == []
    assert service.job(name)["state"] in ("QUEUED", "RUNNING")
    assert [one["id"] for one in service.ask("GET", "/v1/jobs", boss)[1]["jobs"]] == [name]
    assert service.ask("POST", f"/v1/jobs/{name}/cancel", ann)[0] == 202
    assert lockstep(service.folder, "serve", "--revoke-token", ann_id).returncode == 0
    assert service.ask("GET", f"/v1/jobs/{name}", ann)[0] == 401
    assert ann_id not in lockstep(service.folder, "serve", "--list-tokens").stdout
    for secret in (ann, bob):
        assert all(secret.encode() not in file.read_bytes() for file in service.folder.rglob("*") if file.is_file())


def test_the_clients_of_another_machine(service, tmp_path):
    _, _, file = service.token("ann")
    done = service.client(file, "submit", str(JOBS / "fails.py"), "--workers", "2", "--wait")
    assert done.returncode == 1 and "learning rate must be positive" in done.stderr, done.stderr
    name = re.search(r"job_\w+", done.stderr).group()
    assert name in service.client(file, "jobs").stdout
    assert "learning rate must be positive" in service.client(file, "logs", name).stdout
    assert service.client(file, "cancel", name).returncode == 0
    words = ["jobs", "--service", service.url, "--token-file", str(file)]
    mistrusted = lockstep(tmp_path, *words)
    assert mistrusted.returncode == 2 and "cannot trust the service" in mistrusted.stderr
    assert lockstep(tmp_path, *words[:3]).returncode == 2
    other_host = lockstep(tmp_path, "jobs", "--service", f"https://127.0.0.2:{service.port}", *words[3:], "--tls-ca", str(service.certificate))
    assert other_host.returncode == 2
    no_key = lockstep(tmp_path, "serve", "--listen", "127.0.0.1:0")
    assert no_key.returncode == 2 and "belong together" in no_key.stderr


def test_what_strangers_and_hostile_clients_get(service):
    token, _, _ = service.token("ann")
    large = b"x" * (9 << 20)
    assert service.ask("POST", "/v1/jobs", token, large)[1]["code"] == "body_too_large"
    assert service.ask("POST", "/v1/jobs", None, b"{", b"Content-Length: 8000000\r\n")[1]["code"] == "unauthenticated"  # unread
    assert service.ask("POST", "/v1/jobs", token, b"", b"Content-Length: 99999999999\r\n")[1]["code"] == "body_too_large"
    assert service.ask("GET", "/livez", token, b"", b"X: y\r\n" * 10_000)[1]["code"] == "head_too_large"
    for path in ["/../../etc/passwd", "/v1/jobs/../../key", "/v1/jobs/%2e%2e%2f%2e%2e%2fkey", "/v1/jobs/..%2fkey/logs", "//etc/passwd"]:
        assert service.ask("GET", path, token)[0] == 404, path
    assert service.ask("GET", "/v1/jobs/%zz", token)[1]["code"] == "bad_request"
    with socket.create_connection(("127.0.0.1", service.port), timeout=LONG_S) as plain:  # no TLS, no answer
        plain.sendall(b"GET /livez HTTP/1.1\r\n\r\n")
        try:
            assert b"HTTP/1.1 200" not in plain.recv(4096)
        except ConnectionResetError:
            pass
    assert service.answers()


def test_slow_clients_are_let_go(service):
    token, _, _ = service.token("ann")
    silent = socket.create_connection(("127.0.0.1", service.port))  # not even a handshake
    starts = [b"GET /livez HTTP/1.1\r\nX: ", f"POST /v1/jobs HTTP/1.1\r\nAuthorization: Bearer {token}\r\nContent-Length: 5000\r\n\r\n".encode()]
    slow = [service.connect() for _ in starts]
    for one, start in zip(slow, starts):
        one.sendall(start)
        one.setblocking(False)
    silent.setblocking(False)
    left = {silent, *slow}
    end = time.monotonic() + LONG_S
    while left:
        assert time.monotonic() < end, "a slow client holds its connection"
        for one in list(left):
            try:
                if one is not silent:
                    one.send(b"x")
                if one.recv(1024) == b"":
                    left.discard(one)
            except (ssl.SSLWantReadError, BlockingIOError):
                pass
            except OSError:
                left.discard(one)
        assert service.answers()
        time.sleep(0.5)
    for one in (silent, *slow):
        one.close()
