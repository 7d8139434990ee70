"""check --fix --apply: files are replaced whole with their old text beside them; a firewall is opened after a yes on the terminal
of its own host, and never otherwise."""

import stat
import subprocess

import pytest

from harness.host_spec import parse_host_options
from harness.hosts import Hosts
from network_hosts import PATIENCE_S
from pty_session import PtySession
from recordings import LOCKSTEP

SCRIPT = "#!/bin/sh\nexport RANK={rank} WORLD_SIZE=2 MASTER_ADDR=host0 MASTER_PORT=29500\npython t.py\n"
CLOSED = "table inet f { chain input { type filter hook input priority 0; policy drop; ct state established accept; iif lo accept; }; }\n"
JOB = ["torchrun", "--nnodes", "2", "--node-rank", "0", "--master-addr", "10.77.0.1", "train.py"]


def check(*words, **options) -> subprocess.CompletedProcess:
    return subprocess.run([LOCKSTEP, "check", "--fix", "--apply", *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE_S, **options)


def write_scripts(folder, ranks):
    for name, rank in zip(("a.sh", "b.sh"), ranks):
        (folder / name).write_text(SCRIPT.format(rank=rank))
        (folder / name).chmod(0o750)


def test_files_are_replaced_whole_and_their_old_text_is_kept(tmp_path):
    for kept in ("b.sh.before-fix", "b.sh.before-fix-2"):
        write_scripts(tmp_path, [0, 0])
        done = check("a.sh", "b.sh", cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert (tmp_path / "b.sh").read_text() == SCRIPT.format(rank=1)
        assert (tmp_path / kept).read_text() == SCRIPT.format(rank=0)
        assert stat.S_IMODE((tmp_path / "b.sh").stat().st_mode) == 0o750
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.sh", "b.sh", "b.sh.before-fix", "b.sh.before-fix-2"]


@pytest.mark.parametrize("form,mark", [("markdown", "## Repair"), ("sarif", '"repair"')])
def test_a_repair_is_told_in_other_forms(tmp_path, form, mark):
    write_scripts(tmp_path, [0, 0])
    done = subprocess.run([LOCKSTEP, "check", "--fix", "-f", form, "a.sh", "b.sh"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and mark in done.stdout and "export RANK=1" in done.stdout
    refused = check("-o", "check.html", "a.sh", "b.sh", cwd=tmp_path)
    assert refused.returncode == 2 and "no place on the page" in refused.stderr


@pytest.fixture
def facts(tmp_path):
    (tmp_path / "facts").mkdir()
    return tmp_path / "facts"


@pytest.fixture
def host(facts):
    """The first of two, closed to the other, with the facts of both in the folder."""
    with Hosts(parse_host_options(2, [])) as hosts:
        hosts[0].add_rules(CLOSED)
        for one in hosts:
            one.run([LOCKSTEP, "facts", "-o", facts / f"{one.name}.json", "--name=host0,host1"], check=True)
        yield hosts[0]


def rules_of(host) -> str:
    return host.run(["nft", "list", "ruleset"], capture_output=True, text=True, check=True).stdout


def test_a_firewall_is_opened_after_a_yes_alone(facts, host):
    command = ["nsenter", "-t", str(host.pid), "-m", "-u", "-n", "--", LOCKSTEP, "check", "--facts", facts, "--fix", "--apply", "--", *JOB]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE_S)
    assert "left to you on host0:  nft insert rule inet f input" in done.stderr, done.stderr
    before = rules_of(host)
    for answer in ("n\n", "y\n"):
        with PtySession(command, columns=160, rows=50) as session:
            session.wait_for("[y/N]")
            assert rules_of(host) == before
            session.type(answer)
            assert session.wait() == 1
        assert (rules_of(host) == before) == (answer == "n\n")
    assert "29500" in rules_of(host)
