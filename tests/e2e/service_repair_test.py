"""Jobs that mend themselves: real faults end in success without anybody's help, and users' errors end at once.

The faults are those of the surroundings, met by jobs of the lab as they are. Where that is said to fail, the same job was run with
nothing repaired.
"""

import json
import os
import re
import signal
import socket
import subprocess

import pytest

from harness import namespaces
from harness.host_spec import default_hosts
from harness.hosts import Hosts
from harness.registry import LAB, python_of
from service_client import JOBS, LOCKSTEP, Service, wait_until

MEBI = 1 << 20


@pytest.fixture
def service(tmp_path):
    with Service(tmp_path / "s") as made:
        yield made


def of_the_lab(job, **fields):
    return {"script": str(job.script), "python": str(python_of(job.env)), "environment": dict(job.environ), "workers": 2} | fields


def training(jobs, *words, **fields):
    return of_the_lab(jobs["torch_ddp"], script=str(JOBS / "torch_trains.py"), args=[str(word) for word in words], **fields)


def events_of(service, name):
    return [(event["kind"], event["detail"]) for event in service.get(f"/v1/jobs/{name}/events")[1]["events"]]


def nothing_happens(service, job):
    pass


def ends_well(service, request, attempts, why, happens=nothing_happens):
    """After so many attempts, of which each but the last is told to be followed by another one for this reason."""
    job = service.post(request)[1]
    happens(service, job)
    done = service.wait_for(job["id"])
    events = events_of(service, job["id"])
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", attempts), (done["reason"], events, done.get("diagnosis"))
    told = [detail for kind, detail in events if kind == "failed, to be retried"]
    assert len(told) == attempts - 1 and all(why in detail for detail in told), events
    return done


def fails_as_it_is(service, request, happens=nothing_happens):
    """The control: the same job, of which nothing is repaired."""
    job = service.post(request | {"repairs": 0})[1]
    happens(service, job)
    done = service.wait_for(job["id"])
    assert (done["state"], done["attempts"]) == ("FAILED", 1), events_of(service, done["id"])
    assert not [kind for kind, _ in events_of(service, done["id"]) if kind == "repaired"]
    return done


def output_of(service, job, attempt=1):
    path = service.folder / "jobs" / job["id"] / str(attempt) / "output"
    return path.read_text() if path.exists() else ""


def parameters_of(service, job):
    found = set(re.findall(r"done params=(\S+)", output_of(service, job, job["attempts"])))
    assert len(found) == 1, found
    return found


@pytest.mark.parametrize("name", ["torch_ddp", "tf_custom_loop", "horovod_torch"])
def test_a_busy_port(service, jobs, name):
    """Another program of the machine takes the port that was chosen before those who need it are there."""
    neighbours = []

    def neighbour_takes_it(service, job):
        plan = service.folder / "jobs" / job["id"] / "1/plan.json"
        while not plan.exists():
            pass
        neighbours.append(socket.create_server(("", json.loads(plan.read_text())["ports"][0])))

    request = of_the_lab(jobs[name])
    if name == "torch_ddp":
        fails_as_it_is(service, request, neighbour_takes_it)
    ends_well(service, request, 2, ": other ports are chosen", neighbour_takes_it)
    for neighbour in neighbours:
        neighbour.close()


def test_too_little_host_memory(service, jobs):
    request = of_the_lab(jobs["torch_ddp"], memory_per_worker=64 * MEBI)
    ends_well(service, request | {"memory_most": 1024 * MEBI}, 3, "host memory: each rank may have")
    refused = service.wait_for(service.post(request)[1]["id"])
    assert (refused["state"], refused["attempts"]) == ("FAILED", 1)
    assert "more memory was not allowed" in events_of(service, refused["id"])[-1][1]


def test_too_little_shared_memory(jobs, tmp_path):
    """A data loader's worker hands batches over in it."""
    specs = default_hosts(1)
    specs[0].shm_bytes = MEBI // 2
    with Hosts(specs) as hosts, HostService(tmp_path / "s", hosts[0]) as service:
        fails_as_it_is(service, training(jobs, "env://", 2))
        ends_well(service, training(jobs, "env://", 2), 2, "larger /dev/shm")


def test_a_preemption_signal(service, jobs, tmp_path):
    """It goes on from its own checkpoint, and comes to the parameters of a job that nobody disturbed."""
    def is_told_to_end(service, job):
        saved = tmp_path / f"checkpoints-{len(list(tmp_path.glob('checkpoints-*'))) - 1}" / "last.pt"
        wait_until(saved.exists, "it has saved")
        for pid in re.findall(r"ready pid=(\d+)", output_of(service, job)):
            os.kill(int(pid), signal.SIGTERM)

    def request():
        folder = tmp_path / f"checkpoints-{len(list(tmp_path.glob('checkpoints-*')))}"
        folder.mkdir()
        return training(jobs, "env://", 40, checkpoint_directory=str(folder))

    undisturbed = ends_well(service, request(), 1, "")
    fails_as_it_is(service, request(), is_told_to_end)
    done = ends_well(service, request(), 2, "was told to end from outside", is_told_to_end)
    assert re.search(r"goes on from epoch [1-9]", output_of(service, done, 2))
    assert parameters_of(service, done) == parameters_of(service, undisturbed)


def test_a_wrong_interface(service, jobs):
    request = of_the_lab(jobs["torch_ddp"], environment={"GLOO_SOCKET_IFNAME": "ib7"})
    fails_as_it_is(service, request)
    ends_well(service, request, 2, "changed GLOO_SOCKET_IFNAME from ib7 to nothing because of rule N14")


def test_a_stale_meeting_file(service, jobs, tmp_path):
    stale = tmp_path / "meeting"
    stale.write_bytes(b"\x01" * 64)
    request = training(jobs, f"file://{stale}", 2)
    waits = fails_as_it_is(service, request | {"time_limit_s": 12})
    assert "time limit" in waits["reason"], waits["reason"]
    assert output_of(service, waits).count("meets") == 2 and "ready" not in output_of(service, waits)
    done = ends_well(service, request, 1, "")
    assert any(kind == "repaired" and str(stale) in detail for kind, detail in events_of(service, done["id"]))


def test_a_hang(service, jobs):
    request = of_the_lab(jobs["torch_ddp"], script=str(JOBS / "torch_meeting.py"), args=["env://", "one_stops"])
    ends_well(service, request, 2, "hang: once more")


def saving(folder, fault, **fields):
    return {"script": str(JOBS / "saves_steps.py"), "args": [fault], "python": "/usr/bin/python3", "checkpoint_directory": str(folder)} | fields


def test_the_budget_refills_with_each_checkpoint(service, tmp_path):
    ends_well(service, saving(tmp_path, "is_preempted", workers=1, repairs=1), 4, "there is a newer checkpoint")


def test_an_elastic_job_grows_when_there_is_room(tmp_path):
    """It is told to end as one that is preempted, saves, and goes on from there with more ranks; its budget stays as it was."""
    cores = len(os.sched_getaffinity(0))
    gate, folder = tmp_path / "gate", tmp_path / "checkpoints"
    folder.mkdir()
    with Service(tmp_path / "s") as service:
        service.kill()
        service.start("--grow-after", "1")
        other = service.post({"command": ["/bin/sh", "-c", f"until test -e {gate}; do sleep 0.1; done"], "workers": 1,
                              "cpus_per_worker": cores - 1})[1]
        service.wait_for(other["id"], ("RUNNING",))
        job = service.post(saving(folder, "when_told", workers={"min": 1, "max": 2}, cpus_per_worker=1, repairs=0))[1]
        wait_until(lambda: list(folder.iterdir()), "it has saved")
        gate.touch()
        done = service.wait_for(job["id"])
        events = events_of(service, job["id"])
        assert (done["state"], done["attempts"]) == ("SUCCEEDED", 2), events
        assert ("ended, to grow", "ended to go on with 2 ranks from its checkpoint: there is room") in events
        assert ("started", "attempt 2 with 2 ranks") in events
        assert output_of(service, job, 2).count("goes on at step 7") == 2


@pytest.mark.parametrize("script, fault, code, said", [
    ("torch_train.py", "features_differ", "tensor.matmul", "mat1 and mat2 shapes cannot be multiplied"),
    ("torch_prepare.py", "module_missing", "import.no_module", "fused_kernels"),
    ("torch_train.py", "file_on_one_node", "path.file", "/shared/run7/vocabulary.json"),
    ("keras_train.py", "features_differ", "tensor.keras_input", "expected shape=(None, 4), found shape=(None, 5)")])
def test_a_users_error_ends_at_once(service, jobs, tmp_path, script, fault, code, said):
    """In training jobs that began well."""
    job = jobs["keras_fit" if "keras" in script else "torch_ddp"]
    request = of_the_lab(job, script=str(LAB / "faults/jobs" / script), retries=5)
    request["environment"] |= {"LAB_FAULT": fault, "PYTHONPATH": str(LAB / "jobs"), "TMPDIR": str(tmp_path)}
    done = service.wait_for(service.post(request)[1]["id"])
    assert (done["state"], done["attempts"]) == ("FAILED", 1), events_of(service, done["id"])
    assert done["diagnosis"]["findings"][0]["code"] == code and said in json.dumps(done["diagnosis"]), done["diagnosis"]
    assert f"not retried: {code} would happen again" in events_of(service, done["id"])[-1][1]


class HostService(Service):
    """On a host of the lab."""

    def __init__(self, folder, host):
        super().__init__(folder)
        self.host = host

    def start(self, *words):
        with (self.folder.parent / "service.err").open("ab") as err:
            self.process = subprocess.Popen([LOCKSTEP, "serve", "--state", self.folder, *words], stdin=subprocess.DEVNULL,
                                            stderr=err, preexec_fn=lambda: namespaces.enter(self.host.pid))
        wait_until(self.answers, "the service answers")
        return self
