"""The page of `lockstep serve`, in a real browser: real jobs that end well, fail, print hostile lines and are cancelled."""

import os
import pathlib
import re
import subprocess

import pytest

from harness.registry import REPOSITORY, python_of
from service_client import JOBS, LOCKSTEP, Service, wait_until
from tls_service import TlsService, read_to_end

CHECK = REPOSITORY / "tests/page/check_service.mjs"


class PageService(Service):
    def start(self):
        said = self.folder.parent / "said"
        self.process = subprocess.Popen([LOCKSTEP, "serve", "--state", self.folder, "--page", "0"], stdin=subprocess.DEVNULL,
                                        stderr=said.open("wb"))
        self.address = wait_until(lambda: re.search(r"http://127.0.0.1:\d+/#token=\w+", said.read_text()), "it serves the page").group()
        return self


@pytest.fixture
def service(tmp_path):
    with PageService(tmp_path / "s") as made:
        yield made


def test_jobs_in_a_browser(service, jobs):
    job = jobs["torch_ddp"]
    python = pathlib.Path(python_of(job.env))
    environment = job.environ | {"PATH": f"{python.parent}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "LAB_STEPS": "12"}
    request = {"script": str(job.script), "python": str(python), "workers": 2}
    well = service.post(request | {"environment": environment})[1]["id"]
    # Of two that disagree nobody can say who is wrong; two of three can.
    hung = service.post(request | {"workers": 3, "environment": environment | {"LAB_LEAVE_EARLY": "1:5"}})[1]["id"]
    done = service.wait_for(well)
    assert done["state"] == "SUCCEEDED", done
    done = service.wait_for(hung)
    assert done["diagnosis"]["findings"][0]["root_ranks"] == [1], done["diagnosis"]["findings"]

    modules = subprocess.run([REPOSITORY / "tools/page_modules"], capture_output=True, text=True, check=True).stdout.strip()
    checked = subprocess.run(["node", CHECK, service.address, JOBS / "fails.py", well, JOBS / "hostile.sh", hung], capture_output=True, text=True, timeout=300,
                             env=os.environ | {"LOCKSTEP_PAGE_MODULES": modules})
    print(checked.stdout)
    assert checked.returncode == 0, checked.stdout + checked.stderr


# Words that act where somebody makes markup, an attribute, a script or an address of them.
ACTING = ["<script>owned=1</script>", "<img src=x onerror=owned=1>", "\"><svg/onload=owned=1>", "' autofocus onfocus=owned=1 x='",
          "</title><script>owned=1</script>", "javascript:owned=1", "[x](javascript:owned=1)", "`<b onmouseover=owned=1>`",
          "<iframe srcdoc='<script>parent.owned=1</script>'>", "{{constructor.constructor('owned=1')()}}", "\u202egnp.exe", "data:text/html,<script>owned=1</script>",
          "<base href=//127.0.0.1:9/>", "<style>*{background:url(//127.0.0.1:9/)}</style>", "<math><mtext></table><mglyph><style><img src=x onerror=owned=1>"]


def test_every_word_of_a_hostile_job_in_a_browser(service, tmp_path):
    mark = "lookforthis"
    acting = [f"{mark} {word}" for word in ACTING]
    # Titles of findings, places, tracebacks and progress come from what a job prints; names of files from what it writes.
    script = "import os, sys\n" + "".join(
        f"print({word!r}, flush=True)\nprint({('step 1 loss 0.5 rank 0 ' + word)!r}, flush=True)\n" for word in acting) + (
        "for number, word in enumerate(%r):\n    open(word.replace('/', '_') + '.html', 'w').write(word)\n"
        "class E(Exception): pass\nE.__name__ = E.__qualname__ = %r\n"
        "raise ModuleNotFoundError('No module named ' + repr(%r)) if os.environ['RANK'] == '0' else E(%r)\n") % (
        acting, acting[0], acting[1], " ".join(acting))
    names = []
    for word in acting[:3]:
        name = word.replace("/", "_") + ".py"
        names.append(service.post({"script": name, "files": {name: script}, "workers": 2, "args": acting, "repairs": 0,
                                   "labels": {label: label for label in acting} | {"retry_of": "javascript:owned=1"},
                                   "environment": {"WORD": acting[0]}})[1])
    names.append(service.post({"command": ["/bin/sh", "-c", "for word; do echo \"$word\"; done; exit 3", *acting], "workers": 1, "repairs": 0})[1])
    assert all("id" in one for one in names), names
    for one in names:
        service.wait_for(one["id"])
    modules = subprocess.run([REPOSITORY / "tools/page_modules"], capture_output=True, text=True, check=True).stdout.strip()
    checked = subprocess.run(["node", CHECK.with_name("check_hostile.mjs"), service.address, mark, *(one["id"] for one in names)],
                             capture_output=True, text=True, timeout=300, env=os.environ | {"LOCKSTEP_PAGE_MODULES": modules})
    print(checked.stdout)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_job_once_more(service):
    first = service.post({"command": ["/bin/sh", "-c", "exit $STATUS"], "workers": 1, "environment": {"STATUS": "3"}})[1]["id"]
    status, refusal = service.request("POST", f"/v1/jobs/{first}/retry")
    assert (status, refusal["code"]) == (409, "job_not_over")
    assert service.wait_for(first)["last_attempt"]["exit_status"] == 3
    status, refusal = service.request("POST", f"/v1/jobs/{first}/retry")
    assert (status, refusal["code"], refusal["detail"]) == (409, "environment_forgotten", "STATUS")
    status, again = service.request("POST", f"/v1/jobs/{first}/retry", {"environment": {"STATUS": "0"}})
    assert status == 201 and again["request"]["labels"] == {"retry_of": first}
    assert service.wait_for(again["id"])["state"] == "SUCCEEDED"


def test_a_report_of_an_attempt(service):
    name = service.post({"script": str(JOBS / "fails.py"), "workers": 2})[1]["id"]
    found = service.wait_for(name)["diagnosis"]["findings"][0]
    wait_until(lambda: service.get(f"/v1/jobs/{name}/report")[0] == 200, "the report is made")
    text = service.get(f"/v1/jobs/{name}/report?attempt=1")[1]
    assert text.startswith("<!doctype html>") and found["title"] in text
    assert service.get(f"/v1/jobs/{name}/report?attempt=2")[0] == 404


def test_others_get_the_page_over_tls(tmp_path):
    (tmp_path / "s").mkdir()
    service = TlsService(tmp_path / "s").start()
    try:
        with service.connect() as one:
            one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            head, _, page = read_to_end(one).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200") and page.startswith(b"<!doctype html>")
        assert b"Content-Security-Policy: default-src 'none'" in head and b"frame-ancestors 'none'" in head
    finally:
        service.end()
