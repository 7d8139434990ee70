import pathlib

import pytest

from faultlab import fault_file, pair_run, vocabulary
from faultlab.fault_file import Patch
from harness import registry
from harness.errors import LabError

HEALTHY_JOB = registry.Job("ddp", "torch", registry.JOBS / "torch_ddp.py", 2, ("torchrun", "env"), {}, {"A": "1"})
FAULT_JOB = registry.Job("train", "tensorflow", fault_file.FAULTS / "jobs" / "tf_train.py", 2, ("tf_config", "env"))
JOBS = {"ddp": HEALTHY_JOB, "train": FAULT_JOB}
TRUTH = 'says = "x"\nleaf = "RUN-PATH"\nfixes = ["device_consistency"]\n'


def parse(text: str):
    return fault_file.parse("lost_file", text, JOBS)


def complaint_of(text: str) -> str:
    with pytest.raises(LabError) as raised:
        parse(text)
    return str(raised.value)


def test_a_table_stands_before_the_file():
    first, second = parse(TRUTH + 'root_ranks = [1]\n[on.torch]\njob = "ddp"\n[on.tf]\njob = "train"\nroot_ranks = [0]\n')
    assert (first.name, first.framework, first.truth.root_ranks) == ("torch_lost_file", "PyTorch", (1,))
    assert (second.name, second.framework, second.truth.root_ranks) == ("tf_lost_file", "TensorFlow", (0,))


def test_a_job_keeps_its_variables_and_gets_those_of_the_fault():
    (pair,) = parse(TRUTH + '[on.torch]\njob = "ddp"\nranks = 4\nenviron = { B = 2 }\n')
    assert pair.job.environ["A"] == "1" and pair.job.environ["B"] == "2" and pair.job.ranks == 4
    assert "LAB_FAULT" not in pair.job.environ, "a healthy job is not told a fault"


def test_a_script_of_faults_is_told_which():
    (pair,) = parse(TRUTH + '[on.tf]\njob = "train"\n')
    assert pair.job.environ["LAB_FAULT"] == "lost_file" and pair.job.roles == {"worker": 2}


def test_what_the_truth_does_not_say_is_not_asked():
    (pair,) = parse(TRUTH + '[on.torch]\njob = "ddp"\n')
    assert pair.truth.scope is None and pair.truth.root_ranks is None and not pair.is_healthy


def test_a_healthy_job_needs_no_truth():
    (pair,) = parse('says = "x"\nhealthy = true\n[on.torch]\njob = "ddp"\nseed = 3\n')
    assert pair.is_healthy and pair.seed == 3


@pytest.mark.parametrize("text, said", [
    ("says = ", "fault lost_file: is not readable"),
    ('says = "x"', "needs a table [on.LABEL]"),
    ('[on.torch]\njob = "ddp"', "needs says"),
    (TRUTH + '[on.torch]\njob = "ddb"', "fault lost_file on torch: there is no job 'ddb'; did you mean ddp?"),
    (TRUTH + '[on.torch]\nlauncher = "env"', "needs job"),
    (TRUTH + '[on.jax]\njob = "ddp"', "no label is called 'jax'"),
    (TRUTH + '[on.torch]\njob = "ddp"\nstrike = []', "does not know 'strike'; did you mean strikes?"),
    (TRUTH + '[on.torch]\njob = "ddp"\nstrikes = ["maim:1"]', "no fault is called 'maim'"),
    (TRUTH + '[on.torch]\njob = "ddp"\nranks = "two"', "ranks wants a int, not 'two'"),
    (TRUTH + '[on.torch]\njob = "ddp"\nranks = true', "ranks wants a int, not True"),
    (TRUTH + '[on.torch]\njob = "ddp"\nrank_environ = { one = { A = "1" } }', "rank_environ wants RANK"),
    (TRUTH + '[on.torch]\njob = "ddp"\npatch = [{ find = "a" }]', "a patch is two texts, find and put"),
    (TRUTH.replace("RUN-PATH", "RUN-PAHT") + '[on.torch]\njob = "ddp"', "leaf does not know 'RUN-PAHT'; did you mean RUN-PATH?"),
    (TRUTH.replace("device_consistency", "pray") + '[on.torch]\njob = "ddp"', "fixes does not know 'pray'"),
    (TRUTH + 'scope = "both"\n[on.torch]\njob = "ddp"', "scope does not know 'both'"),
    ('says = "x"\n[on.torch]\njob = "ddp"', "needs leaf and fixes; a job without a fault says healthy = true"),
])
def test_what_is_wrong_in_a_file_is_said(text, said):
    assert said in complaint_of(text)


def test_a_patch_finds_its_place_once(tmp_path):
    (pair,) = parse(TRUTH + '[on.torch]\njob = "ddp"\n[[on.torch.patch]]\nfind = "dist.barrier()"\nput = "pass"\n')
    assert pair.patches == (Patch("dist.barrier()", "pass"),)
    text = pair_run.patched_script(pair, tmp_path).read_text()
    assert "dist.barrier()" not in text and "import report" in text
    (pair,) = parse(TRUTH + '[on.torch]\njob = "ddp"\npatch = [{ find = "nowhere at all", put = "" }]\n')
    with pytest.raises(LabError, match="holds 'nowhere at all' 0 times"):
        pair_run.patched_script(pair, tmp_path)


def test_a_twin_must_be_there(tmp_path):
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "jobs.toml").write_text("")
    (tmp_path / "lost_file.toml").write_text('twin = "found_file"\n' + TRUTH + '[on.torch]\njob = "torch_ddp"\n')
    with pytest.raises(LabError, match="its twin 'found_file' is not there"):
        fault_file.load_all(tmp_path)


def test_the_lab_covers_what_it_promises():
    pairs = [pair for pair in fault_file.load_all().values() if not pair.is_healthy]
    frameworks = {leaf: {pair.framework for pair in pairs if pair.truth.leaf == leaf} for leaf in vocabulary.LEAVES}
    assert all(frameworks.values()), [leaf for leaf, found in frameworks.items() if not found]
    assert len(pairs) >= 120
    alone = [leaf for leaf in vocabulary.DISTRIBUTED_LEAVES if len(frameworks[leaf]) < 2]
    assert not alone, f"on one framework only: {alone}"


def test_every_patch_of_the_lab_fits_its_script(tmp_path):
    for pair in fault_file.load_all().values():
        pair_run.patched_script(pair, pathlib.Path(tmp_path))
