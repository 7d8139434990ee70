"""A PostgreSQL server of the test's own: in a folder, over a Unix socket alone, with a password, and gone with the test."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from service_client import wait_until

PASSWORD = "correct-horse-9"
BINARIES = pathlib.Path(subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=True).stdout.strip())


class PostgresServer:
    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep_pg_"))  # a socket's path is short
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            for path in (self.folder, secret):
                shutil.chown(path, "postgres")
        subprocess.run([*as_user(), BINARIES / "initdb", "-D", self.folder / "data", "-U", "lockstep", "-A", "scram-sha-256", "-E", "UTF8",
                        "--locale", "C", "--no-sync", "--pwfile", secret], check=True, stdout=subprocess.DEVNULL)
        self.start()
        return self

    def __exit__(self, *fault):
        self.crash()
        shutil.rmtree(self.folder)

    def start(self):
        self.process = subprocess.Popen([*as_user(), BINARIES / "postgres", "-D", self.folder / "data", "-k", self.folder,
                                         "-c", "listen_addresses=", "-c", "fsync=off"], stderr=(self.folder / "log").open("ab"))
        wait_until(lambda: subprocess.run([BINARIES / "pg_isready", "-q", "-h", self.folder]).returncode == 0, "the server answers")

    def crash(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def address(self, password=""):
        return f"postgresql://lockstep{password and ':' + password}@/postgres?host={self.folder}"

    def dump(self):
        return subprocess.run([BINARIES / "pg_dump", "--inserts", self.address(PASSWORD)], capture_output=True, text=True, check=True).stdout


def as_user():
    """The server does not run for root, and ends with this process however that ends."""
    user = ["--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", "--pdeathsig", "QUIT", *user]
