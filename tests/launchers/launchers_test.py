"""Every launcher's own parser and our table of its flags take the same command lines apart in the same way."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SPLIT_PROGRAM = os.environ["SPLIT_PROGRAM"]

# Command lines behind the launcher's name. What is refused by the parser must be refused by us, but for lines that begin with '?':
# an older version of the launcher takes them.
TORCHRUN = """
train.py
train.py --nnodes 9
--nnodes 2 train.py
--nnodes=2 train.py --lr 0.1
--nnode 2 train.py
--nno=1:4 train.py
--nproc-per-node 8 train.py
--nproc_per_node=8 train.py
? --nproc 8 train.py
--nproc_per 8 train.py
--node_rank 1 --master_addr head --master-port=29500 train.py
--node-r 1 --master_a head train.py
--rdzv-backend=c10d --rdzv_endpoint head:29400 --rdzv-id 7 --rdzv_conf a=b,c=d train.py
--standalone --nproc-per-node gpu train.py -m x
-m pkg.train --nnodes 3
--module pkg.train
--no-python ./train -n 4
--no_python ./train
-r 3 -t 3 train.py
-r3 -t3 train.py
--redirects=0:1,1:2 --tee=0:3 train.py
--max-restarts 3 --log_dir /l --role trainer train.py
--monitor-interval=0.1 --start_method spawn train.py
--local-ranks-filter 0 --run-path train.py
--virtual-local-rank --shutdown-timeout 30 train.py
--nnodes 2 -- train.py
--master 1 train.py
--new-thing 4 train.py
--nnodes
--role= train.py
"""
TORCH_LAUNCH = """
--use-env --nnodes=2 train.py --local_rank 1
--use_env --nproc_per_node 4 train.py
? --use --nproc_per_node 4 -m pkg.train
--nnode 2 train.py
"""
ACCELERATE = """
train.py --lr 1
--num_processes 8 train.py
--num-processes=8 --num_machines 2 --machine-rank 1 train.py
--main_process_ip head --main-process-port=29500 train.py
--multi_gpu --mixed_precision bf16 --gpu-ids 0,1 train.py --multi_gpu
--use_deepspeed --zero_stage 3 --deepspeed_hostfile h train.py
--use-fsdp --fsdp_version 2 --fsdp_activation_checkpointing_offload true train.py
-m pkg.train
-q -m pkg.train
-t 3 train.py
--config_file c.yaml --cpu train.py
--num_proc 8 train.py
--use_megatron_lm --megatron_lm_tp_degree 2 train.py
--parallelism_config_tp_size 2 train.py
--new-thing 4 train.py
"""
DEEPSPEED = """
train.py --deepspeed c.json
--num_gpus 2 train.py
--num_gpus=2 train.py --num_gpus 4
--num_g 2 train.py
--num_accelerators 2 train.py
-H hosts -i a:0,1 --num_nodes 2 train.py
-Hhosts -e b train.py
--hostfile hosts --include=a@b:0 train.py
--master_addr head --master_port 1 --node_rank 1 --no_ssh train.py
--master_a head train.py
--launcher pdsh --launcher_args x train.py
--module --no_local_rank pkg.train
--no_python ./train -x
--bind_cores_to_rank --bind_core_list 0-3 train.py
--num-gpus 2 train.py
--master 1 train.py
"""
HOROVODRUN = """
-np 4 python train.py
-np 4 -H a:2,b:2 python train.py -np 8
--num-proc 4 --hosts a:2,b:2 python train.py
--num-proc=4 --hostfile h python train.py
--num-p 4 python train.py
-np 4 -hostfile h python train.py
-np 4 --network-interfaces eth0,lo --gloo python train.py
-np 4 --min-np 2 --max-np 8 --host-discovery-script d.sh python train.py
-np 4 -p 22 --ssh-identity-file k python train.py
-np 4 --fusion-threshold-mb 32 --cycle-time-ms=3.5 --autotune python train.py
-np 4 --timeline-filename t.json --timeline-mark-cycles ./train -x
-np 4 --mpi --mpi-args=--oversubscribe python train.py
-np 4 --verbose --start-timeout 60 --output-filename out python train.py
-np 4 --no-such-flag python train.py
"""
OPEN_MPI = """
-np 2 PROGRAM a -np 7
-n 2 PROGRAM
--np 1 -x A=1 -x B PROGRAM --mca x y
--mca btl self,vader -mca pml ob1 -n 1 PROGRAM
-H localhost:2 -np 2 --map-by slot --bind-to none PROGRAM b
--oversubscribe --tag-output -np 1 PROGRAM
--host localhost:1 -np 1 -wdir / PROGRAM
-c 1 PROGRAM -c 3
"""
MPICH = """
-np 2 PROGRAM a -np 7
-n 2 -genv A 1 PROGRAM
-ppn 2 -n 2 PROGRAM -ppn 3
-hosts localhost -n 1 -env A 2 PROGRAM
-n 1 -genvlist PATH,HOME -l PROGRAM b
-host localhost -np 1 -wdir / PROGRAM
"""


def python_of(environment):
    command = [ROOT / "lab/envs/make_envs", "--print", environment]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


# srun says with -v what it took from its command line, before it talks to any controller. '?' as above.
SRUN = """
./train -n 3
-n 8 ./train -N 3
-n8 -N2 ./train
-N1-4 --ntasks=8 -c2 -l ./train -n 3
-N2 --ntasks-per-node 4 ./train
--nodes=2 --gres=gpu:8 -w n1,n2 --cpu-bind=cores ./train
--kill-on-bad-exit=1 ./train 1
--kill-on-bad-exit ./train 1
-K ./train
-K1 ./train
-u -J name -p part -t 00:10:00 -A acct --export=ALL,X=1 ./train
--mem-per-gpu 4G -G 8 -m block -o out.%t -e err --unbuffered -D /tmp ./train
--mem 4G --exclusive ./train
--overlap ./train
--mem=4G --exclusive=user ./train
--nod 2 ./train
--ntasks-p 4 ./train
--no 2 ./train
--tasks-per-node=8 --gpus-per-task 1 --cpus-per-task 4 ./train
--wait=60 --time=01:00:00 --signal=USR1 --label ./train
--distribution=cyclic:block --threads-per-core=1 ./train
--output=log_%j.out --error log_%j.err --open-mode=a ./train
--nodelist n[1-4] --exclude=n5 ./train
--relative=1 ./train
--job-name train --comment words --chdir=/tmp -- ./train --nodes 9
-lu ./train
-lun4 ./train
-lun 4 ./train
-luK0 ./train
-luy ./train
--no-such-flag ./train
--no-such-flag=4 ./train
-y ./train
-n
"""


def lines_of(table):
    return [line.split() for line in table.strip().splitlines()]


def our_splits(launcher, command_lines):
    text = "".join("\t".join([*launcher, *words]) + "\n" for words in command_lines)
    split = subprocess.run([SPLIT_PROGRAM], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in split.stdout.splitlines()]


def their_splits(python, launcher, command_lines):
    text = "".join("\t".join(words) + "\n" for words in command_lines)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PET_")} | {"DS_BUILD_OPS": "0"}
    split = subprocess.run([python, "-B", HERE / "real_parser.py", launcher], input=text, env=environ, capture_output=True,
                           text=True)
    assert split.returncode == 0, split.stderr
    return [json.loads(line) for line in split.stdout.splitlines() if line.startswith("{")]


def is_same_flag(ours, theirs):
    names = {name.replace("_", "-") for name in theirs["names"]}
    return bool(names & {name.replace("_", "-") for name in ours["names"].split()}) and ours["values"] == theirs["values"]


def difference(ours, theirs):
    if "error" in ours or "error" in theirs:
        return None if ("error" in ours) == ("error" in theirs) else "one refuses"
    if ours["program"] != theirs["program"]:
        return "another program"
    if len(ours["flags"]) != len(theirs["flags"]):
        return "other flags"
    pairs = zip(ours["flags"], theirs["flags"], strict=True)
    return None if all(is_same_flag(*pair) for pair in pairs) else "another flag"


@pytest.mark.parametrize(("environment", "launcher", "typed", "table"), [
    ("torch", "torchrun", ["torchrun"], TORCHRUN),
    ("torch", "torch.distributed.launch", ["python", "-m", "torch.distributed.launch"], TORCH_LAUNCH),
    ("launchers", "accelerate", ["accelerate", "launch"], ACCELERATE),
    ("launchers", "deepspeed", ["deepspeed"], DEEPSPEED),
    ("horovod-torch", "horovodrun", ["horovodrun"], HOROVODRUN),
], ids=["torchrun", "torch.distributed.launch", "accelerate", "deepspeed", "horovodrun"])
def test_parsers_agree(environment, launcher, typed, table):
    marked = lines_of(table)
    command_lines = [words[words[0] == "?":] for words in marked]
    ours = our_splits(typed, command_lines)
    theirs = their_splits(python_of(environment), launcher, command_lines)
    assert len(ours) == len(theirs) == len(command_lines)
    older = [words[0] == "?" and "error" in their for words, their in zip(marked, theirs, strict=True)]
    differing = [f"{' '.join(words)}: {why}: ours {our}, theirs {their}"
                 for words, our, their, is_older in zip(command_lines, ours, theirs, older, strict=True)
                 if not is_older and (why := difference(our, their))]
    assert not differing, "\n".join(differing)


# Into a file of each rank: launchers mix the output of ranks.
SHOW = """
import json, os, sys
with open(f"{__file__}.{os.getpid()}", "w") as shown:
    json.dump({"argv": sys.argv[1:], "names": sorted(os.environ)}, shown)
"""


def rank_variables(launcher):
    listed = (ROOT / "src/launchers/rank_variables.def").read_text()
    row = re.search(rf"VARIABLES\({launcher}, (.*?)\)", listed)
    return set(re.findall(r'"(\w+)"', row[1]))


@pytest.mark.parametrize(("program", "family", "table"), [("mpirun.openmpi", "OpenMpi", OPEN_MPI),
                                                          ("mpiexec.mpich", "Mpich", MPICH)],
                         ids=["openmpi", "mpich"])
def test_mpirun_starts_the_program_that_we_see(program, family, table, tmp_path):
    environ = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "B": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    for number, words in enumerate(lines_of(table)):
        show = tmp_path / f"show_{number}.py"
        show.write_text(SHOW)
        at = words.index("PROGRAM")
        command = [*words[:at], sys.executable, str(show), *words[at + 1:]]
        (ours,) = our_splits([program], [command])
        assert ours.get("program") == command[at:], ours
        run = subprocess.run([program, *command], env=environ, capture_output=True, text=True, timeout=300)
        assert run.returncode == 0, run.stdout + run.stderr
        shown = [json.loads(file.read_text()) for file in tmp_path.glob(f"{show.name}.*")]
        counts = [int(flag["values"][0]) for flag in ours["flags"] if flag["name"] == "np"]
        assert len(shown) == counts[0], run.stdout
        for rank in shown:
            assert rank["argv"] == words[at + 1:]
            assert rank_variables(family) <= set(rank["names"])


def srun_takes(words, environ):
    """The names and values that srun's own parser took, or None where it refuses."""
    with subprocess.Popen(["srun", "-v", *words], env=environ, stderr=subprocess.PIPE, text=True) as srun:
        said = []
        for line in srun.stderr:
            said.append(line)
            if "end of defined options" in line:
                break
        srun.kill()
    rows = re.findall(r"^srun: ([\w-]+) +: (.*)$", "".join(said), re.MULTILINE)
    if not said or "end of defined options" not in said[-1]:
        assert re.search("unrecognized|requires an argument|ambiguous|invalid|Invalid", "".join(said)), said
        return None
    return {name: value for name, value in rows if name != "verbose"}


def is_taken(flag, taken):
    names = {name.lstrip("-") for name in flag["names"].split()} & taken.keys()
    values = {taken[name] for name in names}
    return bool(values) and (not flag["values"] or any(value.endswith(flag["values"][0]) for value in values))


def test_srun_takes_the_words_that_we_take(tmp_path):
    """Its parser ends at the first word that is no flag: the same flags with the same values leave the same program."""
    configuration = tmp_path / "slurm.conf"
    configuration.write_text("ClusterName=none\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort=1\n"
                             "NodeName=localhost\nPartitionName=part Nodes=ALL\n")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SRUN_"))}
    environ["SLURM_CONF"] = str(configuration)
    command_lines = lines_of(SRUN)
    differing = []
    for words, ours in zip(command_lines, our_splits(["srun"], command_lines), strict=True):
        taken = srun_takes(words, environ)
        refused = taken is None or "error" in ours
        agree = (taken is None and "error" in ours) if refused else (
            len(ours["flags"]) == len(taken) and all(is_taken(flag, taken) for flag in ours["flags"]))
        if not agree:
            differing.append(f"{' '.join(words)}: ours {ours}, theirs {taken}")
    assert not differing, "\n".join(differing)


def test_srun_has_the_flags_that_we_know(tmp_path):
    """Its help tells which flags have a value: those it shows as --name=VALUE."""
    configuration = tmp_path / "slurm.conf"
    configuration.write_text("ClusterName=none\nSlurmctldHost=localhost\n")
    told = subprocess.run(["srun", "--help"], env=os.environ | {"SLURM_CONF": str(configuration)}, capture_output=True,
                          text=True, timeout=300)
    flags = re.findall(r"^\s+(?:(-\w), )?(--[\w-]+)(\[?=)?", told.stdout, re.MULTILINE)
    assert len(flags) > 60, told.stdout + told.stderr
    wrong = []
    for short, name, equals in flags:
        if name in ("--help", "--usage", "--version"):
            continue
        needs_value = (equals == "=" or name in ("--container", "--mem")) and name != "--bcast"  # where the help is wrong
        typed = [name, "1", "./train"] if needs_value else [name, "./train"]
        (ours,) = our_splits(["srun"], [typed])
        if ours.get("program") != ["./train"]:
            wrong.append((short, name, equals, ours))
    assert not wrong, "\n".join(map(str, wrong))
