"""Files that an attacker, a full disk or another process made, through the real command: each run ends by itself, within
some processor time and memory, with a status that tells what happened."""

import json
import os
import pathlib
import resource
import struct
import subprocess
import sys

import pytest

from harness.recorded import BUILD
from harness.registry import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests/fuzz/files"))
import records

LOCKSTEP = str(BUILD / "lockstep")
EXAMPLE = REPOSITORY / "docs/examples/rank_00003.restart_0.lockstep"
NAME = EXAMPLE.name
OOM = "torch.cuda.OutOfMemoryError: CUDA out of memory.\n"
MEBI = 1 << 20
CALL = 1  # the type of its record


def lockstep(*words, cpu_s=20, memory=4 << 30, **keywords) -> subprocess.CompletedProcess:
    """Killed by a signal beyond its share: a loop or a bomb is a failed test, however busy the machine is."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return subprocess.run([LOCKSTEP, *map(str, words)], capture_output=True, preexec_fn=limits,
                          **{"stdin": subprocess.DEVNULL} | keywords)


def verdict_of(*words, **keywords) -> dict:
    done = lockstep("diagnose", "--json", *words, **keywords)
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    return json.loads(done.stdout)


def codes_of(verdict) -> list[str]:
    return [finding["code"] for finding in verdict["findings"]]


def edited_record(change_record=None, change_header=None) -> bytes:
    """The example with a field changed and every checksum right."""
    data = bytearray(EXAMPLE.read_bytes())
    if change_header:
        change_header(data)
        records.put_header_check(data)
    for at, end in list(records.chunks_in(data)) if change_record else ():
        (sequence,) = struct.unpack_from("<Q", data, at + 8)
        for offset, length, kind in list(records.records_in(data, at + 64, end)):
            change_record(data, offset, kind)
            head = records.record_head(bytes(data[offset:offset + length]), length, kind, sequence)
            struct.pack_into("<Q", data, offset, head)
    return bytes(data)


# Places of fields, which the format keeps for ever.
HEADER_RANK, HEADER_WORLD_SIZE = 200, 208
CALL_COMMUNICATOR = 24


def recording_in(folder: pathlib.Path, data: bytes) -> pathlib.Path:
    folder.mkdir()
    (folder / NAME).write_bytes(data)
    (folder / "manifest.json").write_text(json.dumps({"schema": "lockstep-recording-v1", "job": "j", "writer": "t",
                                                      "command": ["x"], "started_wall_ns": 1}))
    return folder


# What a record file claims.


def test_calls_without_communicator(tmp_path):
    def forget(data, offset, kind):
        if kind == CALL:
            struct.pack_into("<I", data, offset + CALL_COMMUNICATOR, 0)
    folder = recording_in(tmp_path / "rec", edited_record(forget))
    for words in (["diagnose"], ["report"], ["dump"], ["top", "--json"]):
        assert lockstep(*words, folder).returncode in (0, 1), words


@pytest.mark.parametrize("place, value", [(HEADER_WORLD_SIZE, 2**31 - 1), (HEADER_RANK, 872555016),
                                          (HEADER_RANK, 2**31 - 1)],
                         ids=["world_size", "rank", "largest_rank"])
def test_numbers_of_ranks_that_no_job_has(tmp_path, place, value):
    data = edited_record(change_header=lambda data: struct.pack_into("<i", data, place, value))
    folder = recording_in(tmp_path / "rec", data)
    done = lockstep("diagnose", folder, memory=MEBI << 9)
    assert done.returncode in (0, 1), done.stderr
    assert b"damaged, it says" in done.stdout


def test_a_recording_that_is_one_hole(tmp_path):
    folder = recording_in(tmp_path / "rec", EXAMPLE.read_bytes())
    os.truncate(folder / NAME, 1 << 40)
    for words in (["diagnose"], ["dump"], ["top", "--json"]):
        # Address space is not memory: a mapping of the whole file would be.
        done = lockstep(*words, folder, memory=(1 << 40) + (2 << 30))
        assert done.returncode in (0, 1), (words, done.stderr)


# What is no file, or leads elsewhere.


def test_pipes_and_devices_in_a_recording(tmp_path):
    folder = recording_in(tmp_path / "rec", EXAMPLE.read_bytes())
    os.mkfifo(folder / "rank_00001.restart_0.lockstep")
    os.symlink("/dev/zero", folder / "rank_00002.restart_0.lockstep")
    os.mkfifo(folder / ".seen_live.json")
    (folder / "payload").mkdir()
    os.mkfifo(folder / "payload/rank_00003.restart_0.payload")
    for words in (["dump"], ["top", "--json"], ["diagnose"], ["report"]):
        assert lockstep(*words, folder, timeout=300).returncode in (0, 1, 2), words
    assert lockstep("dump", folder / "payload/rank_00003.restart_0.payload", timeout=300).returncode == 2
    (folder / "manifest.json").unlink()
    os.mkfifo(folder / "manifest.json")
    for words in (["dump"], ["top", "--json"], ["diff"]):
        paths = [folder] * (2 if words[0] == "diff" else 1)
        assert lockstep(*words, *paths, timeout=300).returncode in (0, 1, 2), words


def test_a_link_to_a_folder_leads_no_further(tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job/rank_0.log").write_text("step 1 loss 0.5\n" * 30)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/other.log").write_text(OOM)
    os.symlink(tmp_path / "secret", tmp_path / "job/link")
    os.symlink("/", tmp_path / "job/root")
    verdict = verdict_of(tmp_path / "job")
    assert "mem.gpu" not in codes_of(verdict)
    assert any("a link to a folder outside" in limit for limit in verdict["limits"])


# What stands in logs, and how they lie there.


@pytest.mark.parametrize("content", [OOM + "\0", "\0" * 4096 + OOM, OOM + "x\0\n", OOM + "\0" * 5000 + "x\n"],
                         ids=["last", "in_front", "in_a_line", "in_between"])
def test_zeros_in_a_log(tmp_path, content):
    (tmp_path / "a.log").write_text(content)
    assert codes_of(verdict_of(tmp_path / "a.log"))[0] == "mem.gpu"


def test_a_log_that_was_emptied_under_its_writer(tmp_path):
    with open(tmp_path / "a.log", "wb") as log:
        log.seek(200 << 30)  # where the writer stood
        log.write(OOM.encode())
    verdict = verdict_of(tmp_path / "a.log")
    assert codes_of(verdict)[0] == "mem.gpu"
    assert verdict["findings"][0]["evidence"][0]["line"] == 1


def test_more_logs_than_a_process_can_map(tmp_path):
    for number in range(70_000):
        path = tmp_path / f"{number // 1000}"
        if number % 1000 == 0:
            path.mkdir()
        (path / f"part_{number}.log").write_text(f"step {number} loss 0.5\n")
    (tmp_path / "0/rank_7.log").write_text(OOM)
    assert "mem.gpu" in codes_of(verdict_of(tmp_path, cpu_s=300))


@pytest.mark.parametrize("separator", [b"", b"\r"], ids=["one_line", "carriage_returns"])
def test_a_line_of_many_megabytes(tmp_path, separator):
    with open(tmp_path / "a.log", "wb") as log:
        for _ in range(256):
            log.write((b"x" * 1023 + (separator or b"x")) * 1024)
        log.write(b"\n" + OOM.encode())
    assert codes_of(verdict_of(tmp_path / "a.log", cpu_s=10))[0] == "mem.gpu"


def test_a_log_that_is_cut_while_it_is_read(tmp_path):
    log = tmp_path / "a.log"
    line = b"step 100 loss 0.25 and some more words to fill it\n"
    program = f"""
import os, sys
path = {str(log)!r}
while True:
    os.truncate(path, 4096)
    os.truncate(path, {48 * MEBI})
"""
    log.write_bytes(line * (48 * MEBI // len(line)))
    for _ in range(6):
        log.write_bytes(line * (48 * MEBI // len(line)))
        cutter = subprocess.Popen([sys.executable, "-c", program])
        try:
            for words in (["diagnose"], ["report"]):
                assert lockstep(*words, log).returncode in (0, 1, 2), words
        finally:
            cutter.kill()
            cutter.wait()


def test_an_empty_or_foreign_dump_alone_is_nothing_to_judge(tmp_path):
    for content in (b"", b"\x80\x04K\x01.", b"garbage"):
        (tmp_path / "nccl_trace_rank_0").write_bytes(content)
        done = lockstep("diagnose", tmp_path)
        assert done.returncode == 2 and b"nothing to judge" in done.stderr, (content, done.stderr)


@pytest.mark.parametrize("path", ["/dev/zero", "-"])
def test_what_never_ends_is_left_after_a_bounded_look(path):
    with open("/dev/zero", "rb") as zeros:
        done = lockstep("diagnose", path, memory=1 << 30, stdin=zeros)
    assert done.returncode == 2, done.stderr


# What has very many members.


@pytest.mark.parametrize("member", ['"k{0}":1', '"same":{0}'], ids=["many_names", "one_name"])
def test_json_of_very_many_members(tmp_path, member):
    many = ",".join(member.format(number) for number in range(200_000))
    folder = recording_in(tmp_path / "rec", EXAMPLE.read_bytes())
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest)[:-1] + "," + many + "}")
    assert lockstep("dump", folder, cpu_s=5).returncode == 0
    (tmp_path / "findings.json").write_text('{"schema":"lockstep-findings-v1",' + many + "}")
    assert lockstep("report", tmp_path / "findings.json", cpu_s=5).returncode == 2
    cluster = {"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}
    (tmp_path / "tf.json").write_text(json.dumps(cluster)[:-1] + "," + many + "}")
    assert lockstep("check", tmp_path / "tf.json", cpu_s=10).returncode in (0, 1, 2)


def test_yaml_of_very_many_keys(tmp_path):
    (tmp_path / "job.yaml").write_text("".join(f"k{number}: 1\n" for number in range(100_000)))
    assert lockstep("check", tmp_path / "job.yaml", cpu_s=10).returncode in (0, 1, 2)


def test_what_python_imports_is_no_fault(tmp_path):
    (tmp_path / "a.log").write_text("import time: self [us] | cumulative | imported package\n" + "".join(
        f"import time:       {n} |       {n * 3} |     numpy.lib.npyio\n" for n in range(100, 160)) + "step 1 loss 0.5\n")
    assert codes_of(verdict_of(tmp_path / "a.log")) == []
