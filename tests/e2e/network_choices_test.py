"""The emulators against the libraries themselves: on every layout both must choose the same. `make test-network` asks on
more layouts, and more libraries (network_long_test.py)."""

import os
import re
import subprocess

import pytest

from network_hosts import PATIENCE_S, predicted, real
from network_layouts import layout_hosts

LAYOUTS = int(os.environ.get("LOCKSTEP_LAYOUTS", "8"))
SHORT_S = 2  # for a store that is predicted not to be found


@pytest.fixture
def hosts(tmp_path):
    with layout_hosts(LAYOUTS, tmp_path) as made:
        yield made


def test_gloo_and_the_store_choose_as_predicted(hosts):
    said = [predicted(file, {"MASTER_ADDR": "master", **one.gloo}) for one, _, file in hosts]
    answers = real("torch-", "real_choices.py", {
        "gloo": [[host.pid, one.gloo] for one, host, _ in hosts],
        "store": [[host.pid, "master", PATIENCE_S if word["store"] else SHORT_S] for (_, host, _), word in zip(hosts, said)]}, LAYOUTS)
    for (one, _, _), word, gloo, store in zip(hosts, said, answers["gloo"], answers["store"]):
        assert word["gloo"][0][1] == gloo, one
        assert (word["store"][0][1] if word["store"] else "refused") == store, one
    assert {answer == "refused" for answer in answers["store"]} == {True, False}


MPI_PROGRAM = """
#include <mpi.h>
int main(int count, char** words) { MPI_Init(&count, &words); return MPI_Finalize(); }
"""


def test_open_mpi_uses_the_interfaces_predicted(hosts, tmp_path):
    (tmp_path / "rank.c").write_text(MPI_PROGRAM)
    subprocess.run(["mpicc.openmpi", tmp_path / "rank.c", "-o", tmp_path / "rank"], check=True)
    for one, host, file in hosts:
        settings = {f"OMPI_MCA_{key}": value for key, value in one.open_mpi.items()}
        environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "tcp,self",
                       "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl_base_verbose": "100"}
        done = host.run(["mpirun.openmpi", "-np", "1", str(tmp_path / "rank")], env=os.environ | environment | settings,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S)
        used = set(re.findall(r"examining interface (\S+)", done.stdout))
        word = {name for name, _ in predicted(file, settings)["open_mpi"]}
        assert used == word, f"{one}\n{done.stdout}"
