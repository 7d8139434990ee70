import shlex

import pytest

from harness.cli import _spec, make_parser
from harness.errors import LabError
from harness.host_spec import parse_host_options, parse_size
from harness.registry import parse_registry
from harness.run_spec import RunSpec

JOBS = parse_registry('[job.j]\nenv="torch"\nscript="j.py"\nranks=2\nlaunchers=["env","torchrun"]')


def spec_of(text: str) -> RunSpec:
    return _spec(make_parser().parse_args(shlex.split(text)), JOBS)


@pytest.mark.parametrize("flags", [
    "", "--launcher torchrun --ranks 4 --steps 9 --seed 3", "--env 'A=b c' --rank-env 1:B='x=y'",
    "--hosts 2 --host 1:mtu=1400,shm=8m --fault kill:1@3 --fault cut:0-1@2 --timeout 7.5 --stall 3"])
def test_command_line_makes_the_same_run(flags):
    spec = spec_of(f"j {flags}")
    assert spec_of(spec.command_line().removeprefix("lab/run ")) == spec


@pytest.mark.parametrize("flags, complaint", [
    ("--launcher mpirun", "runs under env, torchrun"),
    ("--fault kill:2@1", "no rank 2: the job has ranks 0 to 1"),
    ("--fault drop:0-5@1", "no rank 5"),
    ("--rank-env 7:A=b", "no rank 7"),
    ("--rank-env A=b", "RANK:NAME=VALUE"),
    ("--env A", "NAME=VALUE"),
    ("--hosts 3", "2 ranks do not divide over 3 hosts"),
    ("--host 0:mtu=1400", "say how many with --hosts"),
    ("--hosts 2 --host 2:mtu=1400", "no host 2"),
    ("--hosts 2 --fault fill_shm:0 --host 0:shmm=3", "a host has no 'shmm=3'"),
    ("--fault fill_shm:0", "needs --hosts"),
])
def test_what_cannot_be_run_is_said(flags, complaint):
    with pytest.raises(LabError, match=complaint):
        spec_of(f"j {flags}").host_specs()


def test_hosts_have_sizes_and_addresses():
    hosts = parse_host_options(300, ["299:shm=1g,mtu=9000"])
    assert hosts[0].address == "10.77.0.1" and hosts[299].address == "10.77.1.44"
    assert hosts[299].shm_bytes == 1 << 30 and hosts[299].mtu == 9000
    assert len({host.address for host in hosts}) == 300
    assert [parse_size(text) for text in ("5", "2k", "3M")] == [5, 2048, 3 << 20]
    with pytest.raises(LabError):
        parse_size("many")
