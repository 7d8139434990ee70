"""Who descends from whom, read from /proc."""

import os

RANK_VARIABLES = ("LAB_RANK", "RANK", "HOROVOD_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")


def children_by_parent() -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := stat_fields(int(name))):
            children.setdefault(int(fields[1]), []).append(int(name))
    return children


def descendants(pid: int) -> list[int]:
    """Every living process below pid, parents before children."""
    children = children_by_parent()
    found, waiting = [], [pid]
    while waiting:
        below = children.get(waiting.pop(0), [])
        found += below
        waiting += below
    return found


def stat_fields(pid: int) -> list[str]:
    """Fields of /proc/PID/stat from the state on; empty where the process is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except (OSError, ValueError):
        return []


def state_of(pid: int) -> str:
    """R, S, D, T ...; empty where the process is gone."""
    fields = stat_fields(pid)
    return fields[0] if fields else ""


def environ_of(pid: int) -> dict[str, str]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            pairs = file.read().decode("utf-8", "replace").split("\0")
    except OSError:
        return {}
    return dict(pair.partition("=")[::2] for pair in pairs if "=" in pair)


def rank_in(environ: dict[str, str]) -> int | None:
    """The rank a launcher gave a process, by the variables launchers use."""
    for name in RANK_VARIABLES:
        if environ.get(name, "").isdigit():
            return int(environ[name])
    return None
