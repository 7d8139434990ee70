"""Texts that were written for training alone, after what frameworks, launchers and devices print: tests/corpus/written/*.txt.

A block begins with "@ LEAF[,ALSO ACCEPTED] | SCOPE | FIXES" and holds the lines of one fault, or of a healthy stretch. <<this|that>>
stands for either, {N} and its kin for what differs from job to job. Each block becomes a few texts: with prefixes of launchers, lines
that came before and the wreckage after it. They are never measured on: whoever wrote them knew what the judge looks at.
"""

import random
import re
import zlib
from pathlib import Path

FIXES = {
    "dv": "dependency_version", "fv": "framework_version", "md": "missing_dependency", "dp": "dependency_path", "bc": "build_configuration",
    "hw": "hardware", "cc": "communication_configuration", "ns": "network_setting", "con": "device_consistency", "da": "device_assignment",
    "api": "distributed_api_usage", "bp": "batch_or_partition", "bl": "behavior_logic", "sv": "save_single_device_model",
    "mc": "model_construction", "mem": "memory_or_core_setting", "lr": "learning_rate", "ks": "kill_stray_processes", "dt": "data_type",
    "sc": "scope_assignment", "ot": "other",
}  # fmt: skip
SCOPES = {"d": "distributed", "o": "ordinary"}
TEXTS_OF_A_BLOCK = 2  # the lines alone, and with what stood around them
HEALTHY_LOGS_OF_A_BLOCK = 2  # of a fault every second block has one log
EITHER = re.compile(r"<<((?:(?!<<|>>).)*)>>")
PLACE = re.compile(r"\{(N|R|P|PID|IP|H|V|T|MS|ADDR|HASH|W|IFACE|DIR|PATH)\}")
WORDS = "model encoder decoder policy critic tower reward vision head trunk adapter backbone".split()

# What else a launcher or a framework prints once a rank has gone.
WRECKAGE = """
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
Root Cause (first observed failure):
[0]:
  time      : {T}
  host      : {H}
  rank      : {R} (local_rank: {R})
  exitcode  : 1 (pid: {PID})
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
%%
WARNING:torch.distributed.elastic.multiprocessing.api:Sending process {PID} closing signal SIGTERM
ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: {R} (pid: {PID}) of binary: /opt/conda/bin/python
%%
subprocess.CalledProcessError: Command '['/usr/bin/python', '-u', 'train.py', '--local_rank={R}']' returned non-zero exit status 1.
%%
--------------------------------------------------------------------------
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
%%
mpirun detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:
  Process name: [[{N},1],{R}]
  Exit code:    1
%%
srun: error: {H}: task {R}: Exited with exit code 1
srun: Terminating StepId={PID}.0
slurmstepd: error: *** STEP {PID}.0 ON {H} CANCELLED AT {T} ***
%%
[{T}] [INFO] [launch.py:{N}:sigkill_handler] Killing subprocess {PID}
[{T}] [ERROR] [launch.py:{N}:sigkill_handler] ['/usr/bin/python', '-u', 'train.py', '--local_rank={R}'] exits with return code = 1
%%
wandb: You can sync this run to the cloud by running:
wandb: Find logs at: ./wandb/offline-run-{N}/logs
%%
Process {R} exit with status code 1.
Terminating remaining workers after failure of Process {R}.
%%
[W CudaIPCTypes.cpp:{N}] Producer process has been terminated before all shared CUDA tensors released. See Note [Sharing CUDA tensors]
%%
ray.exceptions.RayTaskError: ray::main_task() (pid={PID}, ip={IP})
%%
Exception ignored in: <function ResourceManager.__del__ at {ADDR}>
""".strip("\n").split("\n%%\n")  # fmt: skip

PROGRESS = (
    "Epoch [{E}/90] step {S}/5004 loss {L} lr 0.1 time 0.3{R}",
    "epoch {E} iter {S} loss: {L} acc: 0.7{R}",
    "{'loss': {L}, 'grad_norm': 1.{R}, 'learning_rate': 1.9e-05, 'epoch': 0.{E}}",
    " iteration {S}/ 500000 | consumed samples: {S} | elapsed time per iteration (ms): 8{R}1.3 | learning rate: 1.5E-04 | lm loss: {L}E+00 | grad norm: 0.{R}",
    "{S}/5004 [====>.........................] - ETA: 4:0{R} - loss: {L} - accuracy: 0.{R}2",
    "step={S} loss={L} tokens/s=1{R}034 mfu=41.{R}%",
    "[{T}][INFO] train: global step {S}, epoch {E}, loss {L}, ips 3{R}.1 samples/s",
    " {E}%|███▎      | {S}/50040 [1{R}:02<31:5{R},  3.1{R}it/s]",
    "Train Epoch: {E} [{S}/60000 (3{R}%)]\tLoss: {L}",
    "I{N} trainer.py:{N}] step {S} train_loss {L} val_loss {L}",
)
ENDINGS = (
    "Training complete in 3{R}m 1{R}s\nBest val Acc: 0.91{R}",
    "Training finished.",
    "Saving final model to {DIR}/final\nDone",
    "`Trainer.fit` stopped: `max_epochs={E}` reached.",
    "{'train_runtime': 3{R}12.2, 'train_samples_per_second': 2{R}.1, 'train_loss': {L}, 'epoch': 3.0}\nwandb: Synced 5 W&B file(s)",
    "[{T}] [INFO] [launch.py:{N}:main] Process {PID} exits successfully.",
    "Max accuracy: 8{R}.31%\nTraining time 10:1{R}:33",
    "Total time: 0{R}:31:12\nTest: loss {L} accuracy 0.93{R}",
    "save checkpoint to {DIR}/epoch_{E}.pth\nepoch {E} took 31{R}s",
    "total images/sec: 1{R}23.11",
    "{H}:{PID}:{PID} [{R}] NCCL INFO comm {ADDR} rank {R} nranks 8 cudaDev {R} busId {N} - Destroy COMPLETE",
    "evaluation done, mAP 0.4{R}1, results written to {DIR}/results.json",
)
PREFIXES = ("[rank{R}]: ", "[rank{R}]:", "[1,{R}]<stderr>:", "[1,{R}]<stdout>: ", "{R}: ", "[default{R}]:", "(RayTrainWorker pid={PID}, ip={IP}) ",
            "(WorkerDict pid={PID}) ", "{H}: ", "{H}: [rank{R}]: ", "[{R}]<stderr>:", "worker-{R} | ", "{T} ")  # fmt: skip


class Writer:
    """Fills one text. Its chance comes from the text's name alone: the same texts on every machine."""

    def __init__(self, name):
        self.chance = random.Random(zlib.crc32(name.encode()))
        self.same = {}
        self.is_masked = self.chance.random() < 0.4

    def choose(self, text):
        while EITHER.search(text):
            text = EITHER.sub(lambda found: self.chance.choice(found.group(1).split("|")), text, count=1)
        return text

    def fill(self, text):
        return PLACE.sub(lambda found: self.value(found.group(1)), text)

    def value(self, kind):
        chance = self.chance
        if kind in ("PATH", "DIR", "H", "IP", "T", "ADDR"):
            if self.is_masked:
                return {"PATH": "<path>", "DIR": "<path>", "H": "<host>", "IP": "<ip>", "T": "12:00:00", "ADDR": "<addr>"}[kind]
            if kind not in self.same:
                self.same[kind] = {
                    "PATH": lambda: chance.choice(("/usr/local/lib/python3.8/dist-packages", "/opt/conda/lib/python3.10/site-packages", "/home/user/venv/lib/python3.11/site-packages", "...")),
                    "DIR": lambda: chance.choice(("/workspace", "/data/run7", "/home/user/project", "/mnt/nfs/exp", "./out")),
                    "H": lambda: chance.choice(("node-3", "gpu12", "worker-0", "ip-10-0-1-7", "c101-004", "host1")),
                    "IP": lambda: f"10.{chance.randint(0, 9)}.{chance.randint(0, 255)}.{chance.randint(1, 254)}",
                    "T": lambda: chance.choice(("2024-03-07 11:52:31", "2021-05-13 02:14:09", "2019-08-22T06:31:55", "12:31:07")),
                    "ADDR": lambda: f"0x7f{chance.randrange(16**10):010x}",
                }[kind]()  # fmt: skip
            return self.same[kind]
        return {
            "N": lambda: str(chance.randint(2, 10 ** chance.randint(1, 4))),
            "R": lambda: str(chance.randint(0, 7)),
            "P": lambda: str(chance.choice((29500, 12355, 2222, chance.randint(1025, 65000)))),
            "PID": lambda: str(chance.randint(300, 400000)),
            "V": lambda: f"{chance.choice((1, 2, 10, 11, 12))}.{chance.randint(0, 18)}.{chance.randint(0, 3)}",
            "MS": lambda: str(chance.choice((1800000, 600000, 1800342, 600713, 30000, 7200000))),
            "HASH": lambda: f"{chance.randrange(16**12):012x}",
            "W": lambda: chance.choice(WORDS),
            "IFACE": lambda: chance.choice(("eth0", "ens5", "ib0", "eno1", "enp3s0", "bond0")),
        }[kind]()  # fmt: skip


def read_blocks(folder: Path) -> list[dict]:
    blocks = []
    for path in sorted(folder.glob("*.txt")):
        for number, text in enumerate(path.read_text(encoding="utf-8").split("\n@ ")):
            head, _, body = text.removeprefix("@ ").partition("\n")
            leaves, scope, fixes = (head.split("|") + ["", ""])[:3]
            accept = leaves.strip().split(",")
            blocks.append({
                "name": f"written/{path.stem}/{number}", "body": body.rstrip("\n"), "healthy": accept == ["healthy"], "leaf": accept[0], "accept": accept,
                "scope": [SCOPES[letter] for letter in scope.strip()], "fixes": [FIXES[fix] for fix in fixes.split()],
            })  # fmt: skip
    return blocks


def labelled(block, name, lines, whole):
    return {"id": name, "group": block["name"], "lines": lines, "leaf": block["leaf"], "accept": [] if block["healthy"] else block["accept"], "near": [],
            "scope": block["scope"], "fixes": block["fixes"], "healthy": block["healthy"], "whole": whole, "set": "written"}  # fmt: skip


def short_text(block, healthy, name, plain):
    writer = Writer(name)
    chance = writer.chance
    lines = writer.fill(writer.choose(block["body"])).split("\n")
    if not plain:
        if chance.random() < 0.3 and len(lines) > 2:
            cut = chance.randint(1, len(lines) - 1)
            lines = lines[cut:] if chance.random() < 0.5 and block["healthy"] else lines[: cut + 1]
        if chance.random() < 0.35:
            prefix = chance.choice(PREFIXES)
            lines = [writer.fill(prefix) + line for line in lines]
        if chance.random() < 0.4:
            before = writer.fill(writer.choose(chance.choice(healthy)["body"])).split("\n")
            lines = before[-chance.randint(1, 4) :] + lines
        if not block["healthy"] and chance.random() < 0.4:
            lines += writer.fill(chance.choice(WRECKAGE)).split("\n")[: chance.randint(1, 12)]
    return labelled(block, name, [line for line in lines if line.strip()], False)


def progress_lines(writer, count, form, step):
    for i in range(count):
        loss = f"{3 / (1 + step / 300) + writer.chance.random() / 10:.4f}"
        step += 10
        yield writer.fill(form.replace("{S}", str(step)).replace("{E}", str(1 + step // 500)).replace("{L}", loss))


def whole_log(block, healthy, name):
    """A head, steps with harmless lines among them, then the fault and its wreckage, or a good end."""
    writer = Writer(name)
    chance = writer.chance
    lines = []

    def harmless(most):
        for _ in range(chance.randint(0, most)):
            lines.extend(writer.fill(writer.choose(chance.choice(healthy)["body"])).split("\n"))

    harmless(4)
    early = block["leaf"].split("-")[0] in ("PKG", "SETUP", "PREP")
    if not early:
        form, step = chance.choice(PROGRESS), 0
        for _ in range(chance.randint(1, 4)):
            count = chance.randint(3, 60)
            lines.extend(progress_lines(writer, count, form, step))
            step += 10 * count
            if chance.random() < 0.4:
                harmless(1)
    own = writer.fill(writer.choose(block["body"])).split("\n")
    if block["healthy"]:
        lines += own
        if chance.random() < 0.5:
            lines.extend(progress_lines(writer, chance.randint(2, 20), chance.choice(PROGRESS), 500))
        if chance.random() < 0.8:
            lines += writer.fill(chance.choice(ENDINGS).replace("{E}", "10").replace("{L}", "0.31")).split("\n")
        if chance.random() < 0.2:
            harmless(1)
    else:
        speakers = chance.choice((1, 1, 2, 4))
        prefix = chance.choice(PREFIXES + ("",) * 6)
        for _ in range(speakers):
            lines += [writer.fill(prefix) + line for line in own]
        if chance.random() < 0.6:
            lines += writer.fill(chance.choice(WRECKAGE)).split("\n")
    return labelled(block, name, [line for line in lines if line.strip()], True)


def load_written(folder: Path) -> list[dict]:
    blocks = read_blocks(folder)
    healthy = [block for block in blocks if block["healthy"]]
    cases = []
    for number, block in enumerate(blocks):
        cases += [short_text(block, healthy, f"{block['name']}/{i}", plain=i % 2 == 0) for i in range(TEXTS_OF_A_BLOCK)]
        logs = HEALTHY_LOGS_OF_A_BLOCK if block["healthy"] else number % 2
        cases += [whole_log(block, healthy, f"{block['name']}/whole {i}") for i in range(logs)]
    return cases
