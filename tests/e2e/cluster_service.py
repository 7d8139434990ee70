"""A service on the login host of a cluster of the lab."""

import subprocess

from service_client import LOCKSTEP, Service, wait_until


class ClusterService(Service):
    def __init__(self, folder, cluster, *words):
        super().__init__(folder)
        self.cluster = cluster
        self.words = words

    def start(self, *words):
        with (self.folder.parent / "service.err").open("ab") as err:
            self.process = self.cluster.popen([LOCKSTEP, "serve", "--state", self.folder, *self.words, *words], stderr=err)
        wait_until(self.answers, "the service answers")
        return self

    def log(self, name):
        return subprocess.run([LOCKSTEP, "logs", name], capture_output=True, text=True,
                              env={"LOCKSTEP_STATE": str(self.folder), "PATH": "/usr/bin:/bin"}).stdout.splitlines()
