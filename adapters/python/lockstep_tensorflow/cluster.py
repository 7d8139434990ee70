"""Who is who in a cluster of TensorFlow: ranks count the chief, then the workers, then the parameter servers."""

ROLES = ("chief", "master", "worker", "ps", "evaluator")
COLLECTIVE_ROLES = ("chief", "master", "worker")
WHY_SERVERS_ARE_NOT_REPLAYED = "what a server of TensorFlow computes is sent to it by other tasks, and its script does not see it"


class Cluster:
    """Read from the ServerDef that TensorFlow makes of TF_CONFIG, or of whatever else resolves the cluster."""

    def __init__(self, server_def):
        counts = {job.name: (max(job.tasks) + 1 if job.tasks else 0) for job in server_def.cluster.job}
        roles = [role for role in ROLES if role in counts] + sorted(set(counts) - set(ROLES))
        self._tasks = [(role, index) for role in roles for index in range(counts[role])]
        self._own = (server_def.job_name, server_def.task_index)
        self._addresses = {(job.name, index): address for job in server_def.cluster.job for index, address in job.tasks.items()}

    @property
    def rank(self):
        return self._tasks.index(self._own) if self._own in self._tasks else -1

    @property
    def size(self):
        return len(self._tasks)

    def rank_of(self, role, index):
        return self._tasks.index((role, index)) if (role, index) in self._tasks else -1

    def place_of(self, role, index):
        """Among the tasks as this one sees them: itself is 0."""
        rank = self.rank_of(role, index)
        return -1 if rank < 0 else (rank - self.rank) % self.size

    def own_name(self):
        role, index = self._own
        return f"/job:{role}/replica:0/task:{index}"

    def as_text(self):
        """"worker/0=10.0.0.1:2222 worker/1=10.0.0.2:2222": what this task believes; others may believe otherwise."""
        return " ".join(f"{role}/{index}={self._addresses.get((role, index), '')}" for role, index in self._tasks)

    def has_parameter_servers(self):
        return any(role == "ps" for role, _ in self._tasks)

    def task_names(self):
        return [f"/job:{role}/replica:0/task:{index}" for role, index in self._tasks]

    def collective_size(self):
        return sum(role in COLLECTIVE_ROLES for role, _ in self._tasks)
