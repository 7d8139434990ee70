"""Jobs that mend themselves: real faults end in success without anybody's help, and users' errors end at once."""

import os
import signal
import subprocess

import pytest

from harness import namespaces
from harness.host_spec import default_hosts
from harness.hosts import Hosts
from harness.registry import python_of
from service_client import JOBS, LOCKSTEP, Service, pids_with, wait_until

MEBI = 1 << 20


@pytest.fixture
def service(tmp_path):
    with Service(tmp_path / "s") as made:
        yield made


def events_of(service, name):
    return [(event["kind"], event["detail"]) for event in service.get(f"/v1/jobs/{name}/events")[1]["events"]]


def submitted(service, fault, **fields):
    request = {"script": str(JOBS / "faults_that_pass.py"), "args": [fault], "workers": 2, "python": "/usr/bin/python3"}
    return service.post(request | fields)[1]


def ends_well(service, job, attempts, why):
    done = service.wait_for(job["id"])
    events = events_of(service, job["id"])
    assert (done["state"], done["attempts"]) == ("SUCCEEDED", attempts), (done["reason"], events, done.get("diagnosis"))
    told = [detail for kind, detail in events if kind == "failed, to be retried"]
    assert len(told) == attempts - 1 and all(why in detail for detail in told), events


def fails_as_it_is(service, request):
    """The control: the same job, of which nothing is repaired."""
    done = service.wait_for(service.post(request | {"repairs": 0})[1]["id"])
    assert (done["state"], done["attempts"]) == ("FAILED", 1), events_of(service, done["id"])
    assert not [kind for kind, _ in events_of(service, done["id"]) if kind == "repaired"]
    return done


def test_a_busy_port(service):
    ends_well(service, submitted(service, "busy_port"), 2, "setup.port_in_use: other ports are chosen")


def test_too_little_host_memory(service):
    job = submitted(service, "host_memory", memory_per_worker=64 * MEBI, memory_most=512 * MEBI)
    ends_well(service, job, 3, "host memory: each rank may have")
    refused = submitted(service, "host_memory", memory_per_worker=64 * MEBI)
    done = service.wait_for(refused["id"])
    assert (done["state"], done["attempts"]) == ("FAILED", 1)
    assert "more memory was not allowed" in events_of(service, refused["id"])[-1][1]


def test_a_preemption_signal(service, tmp_path):
    job = submitted(service, "preemption", args=["preemption", str(tmp_path / "mark")])
    folder = service.folder / "jobs" / job["id"] / "1"
    wait_until(lambda: (folder / "output").exists() and (folder / "output").read_text().count("ready") == 2, "the ranks run")
    for pid in pids_with(str(tmp_path / "mark")):
        os.kill(pid, signal.SIGTERM)
    ends_well(service, job, 2, "was told to end from outside")


def test_the_budget_refills_with_each_checkpoint(service, tmp_path):
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    job = submitted(service, "saves_and_is_preempted", workers=1, checkpoint_directory=str(folder), repairs=1)
    ends_well(service, job, 4, "there is a newer checkpoint")


def test_too_little_shared_memory(tmp_path):
    specs = default_hosts(1)
    specs[0].shm_bytes = MEBI
    with Hosts(specs) as hosts, HostService(tmp_path / "s", hosts[0]) as service:
        ends_well(service, submitted(service, "shared_memory"), 2, "larger /dev/shm")


@pytest.mark.parametrize("fault", ["wrong_interface", "stale_meeting", "hang"])
def test_pytorch_meets_in_spite_of(service, jobs, tmp_path, fault):
    stale = tmp_path / "meeting"
    stale.write_bytes(b"\x01" * 64)
    request = {"script": str(JOBS / "torch_meeting.py"), "args": [f"file://{stale}"], "workers": 2,
               "python": str(python_of(jobs["torch_ddp"].env))}
    if fault == "wrong_interface":
        request |= {"args": ["env://"], "environment": {"GLOO_SOCKET_IFNAME": "ib7"}}
        fails_as_it_is(service, request)
    if fault == "stale_meeting":
        waits = fails_as_it_is(service, request | {"time_limit_s": 20})
        assert "time limit" in waits["reason"], waits["reason"]
        assert (service.folder / "jobs" / waits["id"] / "1" / "output").read_text().count("meets") == 2
    if fault == "hang":
        request |= {"args": ["env://", "one_stops"]}
    job = service.post(request)[1]
    if fault == "wrong_interface":
        ends_well(service, job, 2, "changed GLOO_SOCKET_IFNAME from ib7 to nothing because of rule N14")
    elif fault == "hang":
        ends_well(service, job, 2, "hang: once more")
    else:
        ends_well(service, job, 1, "")
        assert any(kind == "repaired" and str(stale) in detail for kind, detail in events_of(service, job["id"]))


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
        job = submitted(service, "saves_when_told", workers={"min": 1, "max": 2}, cpus_per_worker=1,
                        checkpoint_directory=str(folder), repairs=0)
        wait_until(lambda: list(folder.iterdir()), "it has saved")
        gate.touch()
        done = service.wait_for(job["id"])
        events = events_of(service, job["id"])
        assert (done["state"], done["attempts"]) == ("SUCCEEDED", 2), events
        assert ("ended, to grow", "ended to go on with 2 ranks from its checkpoint: there is room") in events
        assert ("started", "attempt 2 with 2 ranks") in events
        assert (service.folder / "jobs" / job["id"] / "2" / "output").read_text().count("goes on at step 7") == 2


@pytest.mark.parametrize("program, code", [("raise ValueError('the learning rate must be positive')", "script.exception"),
                                           ("import flash_attention_of_next_year", "import.no_module"),
                                           ("open('/nowhere/settings.json')", "path.file")])
def test_a_users_error_ends_at_once(service, program, code):
    job = service.post({"command": ["/usr/bin/python3", "-c", program], "workers": 2, "retries": 5})[1]
    done = service.wait_for(job["id"])
    assert (done["state"], done["attempts"]) == ("FAILED", 1), events_of(service, job["id"])
    assert done["diagnosis"]["findings"][0]["code"] == code
    assert f"not retried: {code} would happen again" in events_of(service, job["id"])[-1][1]


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
