"""A service of its own for each test, and a client that speaks to it as any program would."""

import http.client
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import time

from recordings import LOCKSTEP

JOBS = pathlib.Path(__file__).parent / "service_jobs"
LONG_S = 240  # for whatever takes a moment on an idle machine


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=LONG_S)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Service:
    def __init__(self, folder):
        self.folder = folder
        self.socket = folder / "service.sock"
        self.process = None
        self.environ = dict(os.environ)

    def __enter__(self):
        self.folder.mkdir()
        return self.start()

    def __exit__(self, *fault):
        self.end()

    def start(self, *words):
        self.process = subprocess.Popen([LOCKSTEP, "serve", "--state", self.folder, *words], stdin=subprocess.DEVNULL, env=self.environ,
                                        stderr=(self.folder.parent / "service.err").open("ab"))
        wait_until(lambda: self.answers(), "the service answers")
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def answers(self):
        try:
            return self.get("/livez")[0] == 200
        except OSError:
            return False

    def request(self, method, path, body=None, headers=None):
        connection = UnixConnection(self.socket)
        try:
            connection.request(method, path, body if body is None or isinstance(body, (bytes, str)) else json.dumps(body), headers or {})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        is_json = "json" in (answer.getheader("Content-Type") or "") and "nd" not in answer.getheader("Content-Type")
        return answer.status, json.loads(text) if is_json and text else text.decode(errors="replace")

    def get(self, path, **headers):
        return self.request("GET", path, headers=headers)

    def post(self, body, headers=None):
        return self.request("POST", "/v1/jobs", body, headers)

    def job(self, name):
        return self.get(f"/v1/jobs/{name}")[1]

    def events(self, name):
        return [(event["kind"], event["detail"]) for event in self.get(f"/v1/jobs/{name}/events")[1]["events"]]

    def wait_for(self, name, states=("SUCCEEDED", "FAILED", "CANCELLED"), limit_s=LONG_S):
        return wait_until(lambda: (job := self.job(name))["state"] in states and job,
                          lambda: f"{name} is {states}: {self.events(name)}", limit_s)

    def end(self):
        """Jobs too: a keeper outlives its service by design."""
        if self.answers():
            for job in self.get("/v1/jobs?limit=500")[1]["jobs"]:
                if job["state"] in ("QUEUED", "RUNNING"):
                    self.request("POST", f"/v1/jobs/{job['id']}/cancel")
            wait_until(lambda: all(job["state"] not in ("QUEUED", "RUNNING") for job in self.get("/v1/jobs?limit=500")[1]["jobs"]),
                       "all jobs are over")
            os.kill(peer_of(self.socket), signal.SIGTERM)
        if self.process is not None:
            self.process.wait(LONG_S)


def peer_of(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(str(path))
        return struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def pids_with(word):
    """Of processes with this word on their command line."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and word.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def wait_until(condition, what, limit_s=LONG_S):
    end = time.monotonic() + limit_s
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, f"waited in vain: {what() if callable(what) else what}"
        time.sleep(0.05)


def lockstep(folder, *words, environ=None, cwd=None):
    return subprocess.run([LOCKSTEP, *words], capture_output=True, text=True, cwd=cwd, timeout=LONG_S,
                          env=(environ or os.environ) | {"LOCKSTEP_STATE": str(folder)})
