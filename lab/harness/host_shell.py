"""A remote shell for hosts that are namespaces: what `ssh host command` is elsewhere.

mpirun and horovodrun reach other hosts through ssh. The run folder gets a program of that name which
enters the namespaces of the host instead; it knows the hosts of its own run only.
"""

import pathlib
import shlex

from harness.hosts import Hosts

_SCRIPT = """#!/bin/sh
# ssh for the hosts of this run: ssh [option...] HOST [option...] COMMAND...
host=
while [ $# -gt 0 ]; do
  case "$1" in
    -[oplibceFmS]) shift 2 ;;
    -*) shift ;;
    *) [ -z "$host" ] || break; host=${{1#*@}}; shift ;;
  esac
done
case "$host" in
{cases}
  *) echo "ssh: no host $host in this run" >&2; exit 255 ;;
esac
exec nsenter -t "$pid" -m -u -i -n -- /bin/sh -c -- "$*"
"""


def write_host_shell(folder: pathlib.Path, hosts: Hosts, environs: dict | None = None) -> pathlib.Path:
    """`environs`: by host name, what everything on that host has in its environment."""
    folder.mkdir(exist_ok=True)
    cases = "\n".join(f"  {host.name}|{host.address}) pid={host.pid}{_exports((environs or {}).get(host.name, {}))} ;;" for host in hosts)
    path = folder / "ssh"
    path.write_text(_SCRIPT.format(cases=cases))
    path.chmod(0o755)
    return path


def _exports(environ: dict) -> str:
    return "".join(f"; export {key}={shlex.quote(value)}" for key, value in environ.items())
