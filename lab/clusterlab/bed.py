"""The hosts of a case while they are up: jobs run on them, facts taken of them."""

import os
import pathlib
import select
import signal
import subprocess
import time
from dataclasses import dataclass

from clusterlab.case import Case
from clusterlab.launch_files import binary
from clusterlab.network_policy import rules_of
from harness import namespaces, process_tree
from harness.host_shell import write_host_shell
from harness.host_spec import default_hosts, parse_size
from harness.hosts import Hosts

LISTEN = ("import socket, sys, signal\nservers = [socket.create_server(('', int(port))) for port in sys.argv[1:]]\n"
          "print('up', flush=True)\nsignal.pause()\n")
ENDING_S = 3.0
SHIFTS_THE_CLOCK = "/usr/$LIB/faketime/libfaketime.so.1"


@dataclass
class JobEnd:
    worked: bool
    seconds: float
    said: str       # the last line of the first host that failed
    hung: bool


class Bed:
    def __init__(self, case: Case, folder: pathlib.Path):
        self.case, self.folder = case, folder
        self._listeners: list[subprocess.Popen] = []
        self.hosts = Hosts(self._specs())
        self._environs = {host.name: {"LD_PRELOAD": SHIFTS_THE_CLOCK, "FAKETIME": own.clock}
                          for host, own in zip(self.hosts, case.hosts) if own.clock}
        try:
            self._set_up()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        for listener in self._listeners:
            listener.kill()
            listener.wait()
            listener.stdout.close()
        self.hosts.close()

    def facts(self, lockstep: str) -> pathlib.Path:
        folder = self.folder / "facts"
        folder.mkdir(exist_ok=True)
        names = ",".join(host.name for host in self.hosts)
        if self._environs:  # how far clocks are apart is seen by one who asks them all
            subprocess.run([lockstep, "facts", "--host", names, "--program", lockstep, "-o", str(folder)], env=self._with_shell(),
                           check=True, capture_output=True)
            return folder
        started = [self._start(host, [lockstep, "facts", "-o", str(folder / f"{host.name}.json"), f"--name={names}",
                                      *_interpreter(own.python)]) for host, own in zip(self.hosts, self.case.hosts)]
        assert all(one.wait() == 0 for one in started), "facts could not be taken"
        return folder

    def probing(self, lockstep: str) -> tuple[list[str], dict]:
        """The flags with which check reaches the hosts, and the environment for it."""
        self._forget_paths()
        names = ",".join(host.name for host in self.hosts)
        return ["--probe", "--host", names, "--program", lockstep], self._with_shell()

    @property
    def manifest(self) -> pathlib.Path:
        return self.folder / "job.yaml"

    def enforce_policies(self):
        """Those of the manifest as it stands now."""
        rules = rules_of(self.manifest.read_text(), [host.address for host in self.hosts])
        for host in self.hosts:
            host.add_rules(rules)

    def run_job(self, scripts: list[pathlib.Path], patience_s: float) -> JobEnd:
        """Until all have ended well, one has failed, or the patience is over."""
        self._forget_paths()
        began = time.monotonic()
        outputs = [open(self.folder / f"{script.stem}.log", "w+") for script in scripts]
        started = [self._start(host, ["bash", "-c", f"{self._sourced(host)} exec bash {script}"], output)
                   for host, script, output in zip(self.hosts, scripts, outputs)]
        _wait_for_end(started, began + patience_s)
        seconds = time.monotonic() - began
        statuses = [one.poll() for one in started]
        for one in started:
            _end(one)
        said = next((_last_line(output) for output, status in zip(outputs, statuses) if status), "")
        for output in outputs:
            output.close()
        worked = all(status == 0 for status in statuses)
        return JobEnd(worked, seconds, said, hung=not worked and not any(statuses))

    def run_commands(self, host_name: str, commands: list[str]):
        host = next(host for host in self.hosts if host.name == host_name)
        for command in commands:
            host.run(["sh", "-c", command], check=True, capture_output=True)

    def _with_shell(self) -> dict:
        return os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def _forget_paths(self):
        """What hosts learned of the MTU between them, and would forget after ten minutes."""
        for host in self.hosts if self.case.probe else []:
            self.run_commands(host.name, ["ip route flush cache", "ip tcp_metrics flush all"])

    def _sourced(self, host) -> str:
        file = self.folder / "lockstep-fix" / f"{host.name}.env"
        return f". {file};" if file.exists() else ""

    def _specs(self):
        specs = default_hosts(len(self.case.hosts))
        usual = {spec.name: spec.address for spec in specs}
        for spec, own in zip(specs, self.case.hosts):
            spec.mtu, spec.port_mtu = own.mtu, own.port_mtu
            spec.shm_bytes = parse_size(own.shm) if own.shm else spec.shm_bytes
            if own.names:
                file = self.folder / f"{spec.name}.hosts"
                lines = {**usual, **own.names}
                file.write_text("127.0.0.1 localhost\n" + "".join(
                    f"{address} {name}\n" for name, address in lines.items() if address))
                spec.hosts_file = str(file)
        return specs

    def _set_up(self):
        write_host_shell(self.folder / "bin", self.hosts, self._environs)
        if self.case.manifest:
            self.manifest.write_text(self.case.manifest)
            self.enforce_policies()
        for host, own in zip(self.hosts, self.case.hosts):
            for command in own.setup:
                done = host.run(["sh", "-c", command], capture_output=True, text=True)
                assert done.returncode == 0, f"{host.name}: {command}: {done.stderr}"
            if own.rules:
                host.add_rules(own.rules)
            if own.busy:
                listener = self._start(host, ["/usr/bin/python3", "-c", LISTEN, *map(str, own.busy)], subprocess.PIPE)
                self._listeners.append(listener)
                assert listener.stdout.readline(), f"nothing listens on {host.name}"

    def _start(self, host, command: list[str], output=subprocess.DEVNULL) -> subprocess.Popen:
        environ = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": os.environ.get("HOME", "/root"),
                   "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"} | self._environs.get(host.name, {})
        error = subprocess.STDOUT if output is not subprocess.DEVNULL else output
        return subprocess.Popen(command, env=environ, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=error,
                                start_new_session=True, preexec_fn=lambda: namespaces.enter(host.pid))


def _interpreter(environment: str) -> list[str]:
    return [f"--python={binary(environment, 'python')}"] if environment else []


def _wait_for_end(processes: list[subprocess.Popen], deadline: float):
    """Until all have ended, one has failed, or the time is over."""
    poll, left = select.poll(), {}
    for process in processes:
        left[descriptor := os.pidfd_open(process.pid)] = process
        poll.register(descriptor, select.POLLIN)
    while left and not any(process.poll() for process in processes) and (seconds := deadline - time.monotonic()) > 0:
        for descriptor, _ in poll.poll(seconds * 1000):
            poll.unregister(descriptor)
            left.pop(descriptor).wait()
            os.close(descriptor)
    for descriptor in left:
        os.close(descriptor)


def _end(process: subprocess.Popen):
    """With everything below it; returns when all of it is gone."""
    below = [descriptor for pid in process_tree.descendants(process.pid) if (descriptor := _pidfd(pid)) is not None]
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for descriptor in below:
        try:
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        except ProcessLookupError:
            pass
        select.select([descriptor], [], [], ENDING_S)
        os.close(descriptor)


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def _last_line(output) -> str:
    output.seek(0)
    lines = [line.strip() for line in output.read().splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line] or lines
    return telling[-1] if telling else ""
