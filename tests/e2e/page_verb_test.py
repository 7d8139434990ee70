"""`lockstep page`: the page of a service that is running, and the ways to it."""

import json
import os
import re
import signal
import stat
import subprocess
import urllib.error
import urllib.request

import pytest

from service_client import LOCKSTEP, Service, peer_of, wait_until

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#token=(page_\w+)(/job/\w+)?")


@pytest.fixture
def service(tmp_path):
    with Service(tmp_path / "s") as made:
        yield made


def lockstep(*words, **more):
    environ = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")} | more
    return subprocess.run([LOCKSTEP, *words], capture_output=True, text=True, timeout=300, env=environ, stdin=subprocess.DEVNULL)


def ask(address, path):
    port, token, _ = ADDRESS.search(address).groups()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return answer.read().decode()


def test_a_service_without_a_page_opens_one(service):
    done = lockstep("page", "--state", service.folder)
    assert done.returncode == 0, done.stderr
    address = done.stdout.strip()
    assert ADDRESS.fullmatch(address), done.stdout
    assert "jobs" in json.loads(ask(address, "/v1/jobs"))
    assert ask(address, "/").startswith("<!doctype html>")
    assert lockstep("page", "--state", service.folder).stdout.strip() == address, "an open page keeps its port"


def test_a_service_is_started_where_there_is_none(tmp_path):
    state = tmp_path / "fresh"
    done = lockstep("page", "--no-open", "--state", state)
    assert done.returncode == 0, done.stderr
    assert "jobs" in json.loads(ask(done.stdout, "/v1/jobs"))
    # It would rest after a minute without work.
    os.kill(peer_of(state / "service.sock"), signal.SIGTERM)


def test_serve_with_a_page_attaches_to_the_service_that_is_there(service):
    done = lockstep("serve", "--state", service.folder, "--page", "0")
    assert done.returncode == 0, done.stderr
    assert "is already running in" in done.stderr and ADDRESS.search(done.stderr), done.stderr
    assert "jobs" in json.loads(ask(done.stderr, "/v1/jobs"))
    other = lockstep("serve", "--state", service.folder, "--page", "0", "--rest-after", "5")
    assert other.returncode == 2 and "another service is already running there" in other.stderr, "it was to be another service"


def test_submit_says_where_to_see_the_job(service):
    first = lockstep("submit", "--state", service.folder, "--", "/bin/true")
    name = first.stdout.strip()
    assert f"'lockstep page {name}'" in first.stderr, first.stderr
    address = lockstep("page", "--state", service.folder, name).stdout.strip()
    assert address.endswith(f"/job/{name}"), address
    assert lockstep("page", "--state", service.folder, name.removeprefix("job_")[:20]).stdout.strip() == address
    second = lockstep("submit", "--state", service.folder, "--", "/bin/true")
    assert second.stdout.strip() == ADDRESS.search(second.stderr).group(3).removeprefix("/job/"), second.stderr
    assert lockstep("page", "--state", service.folder, "job_00000000000000000000000000").returncode == 2


def test_a_browser_is_opened_without_the_key_on_a_command_line(service, tmp_path):
    opened = tmp_path / "opened"
    opener = tmp_path / "bin/xdg-open"
    opener.parent.mkdir()
    opener.write_text(f"#!/bin/sh\necho \"$@\" > {opened}.new; mv {opened}.new {opened}\n")
    opener.chmod(0o755)
    path = f"{opener.parent}:{os.environ['PATH']}"
    assert lockstep("page", "--no-open", "--state", service.folder, PATH=path, DISPLAY=":9").returncode == 0
    done = lockstep("page", "--state", service.folder, PATH=path)
    assert "no display here" in done.stderr and not opened.exists()
    done = lockstep("page", "--state", service.folder, PATH=path, DISPLAY=":9")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    wait_until(opened.exists, "the browser is asked")
    way = opened.read_text().strip()
    assert ADDRESS.search(way) is None and "page_" not in way
    assert stat.S_IMODE(os.stat(way).st_mode) == 0o600
    with open(way) as text:
        assert done.stdout.strip() in text.read()


def test_a_link_with_more_at_its_end_gives_the_page(service):
    address = lockstep("page", "--no-open", "--state", service.folder).stdout
    assert ask(address, "/?utm_source=mail&x").startswith("<!doctype html>")
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(address, "/v1/jobs?utm_source=mail")
    assert refused.value.code == 400


def test_a_port_that_is_taken_is_said(service):
    taken = lockstep("page", "--no-open", "--state", service.folder).stdout
    port = ADDRESS.search(taken).group(1)
    with Service(service.folder.parent / "second") as second:
        done = lockstep("page", "--no-open", "--port", port, "--state", second.folder)
        assert done.returncode == 2 and "in use" in done.stderr, done.stderr
        assert lockstep("page", "--no-open", "--state", second.folder).returncode == 0, "another port is as good"


def test_how_far_a_running_job_has_come(service):
    name = service.post({"command": ["/bin/sh", "-c", "echo step=41 loss=0.5; echo step=42 loss=0.25; exec sleep 600"], "workers": 1})[1]["id"]
    wait_until(lambda: service.get(f"/v1/jobs/{name}")[1]["progress"], "its step is known")
    listed = service.get("/v1/jobs")[1]["jobs"][0]
    assert listed["progress"] == {"by": "step", "number": 42, "loss": 0.25}
    assert not listed["owner_name"].startswith("uid:")
    service.request("POST", f"/v1/jobs/{name}/cancel")
    assert service.wait_for(name)["state"] == "CANCELLED"
    assert service.get(f"/v1/jobs/{name}")[1]["progress"] is None
