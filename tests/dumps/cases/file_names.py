"""The same evidence under other names, in other forms, more than once."""

import json

from case import MISSING_RANK, NO_EVIDENCE, case
from job import PENDING, Job
from packing import gz, zst
from torch_pickle import torch_pickle


def rank_2_missing() -> Job:
    job = Job(4)
    job.all(job.world, "all_reduce", times=6)
    job.all(job.world, "all_reduce", state=PENDING, but=[2])
    return job


FOUND = {"root": [2], "victims": [0, 1, 3]}


@case(MISSING_RANK, **FOUND)
def dumps_packed_with_gzip():
    return {f"{name}.gz": gz(content) for name, content in rank_2_missing().files().items()}


@case(MISSING_RANK, **FOUND)
def dumps_packed_with_zstandard():
    return {f"{name}.zst": zst(content) for name, content in rank_2_missing().files().items()}


@case(MISSING_RANK, **FOUND)
def host_names_stand_in_the_file_names():
    hosts = ("gpu-node-17.cluster", "gpu-node-17.cluster", "gpu-node-4.cluster", "gpu-node-4.cluster")
    files = rank_2_missing().files("{}")
    return {f"{hosts[int(rank)]}_nccl_trace_rank_{rank}": content for rank, content in files.items()}


@case(MISSING_RANK, **FOUND)
def dumps_lie_in_a_folder_for_each_host():
    files = rank_2_missing().files()
    return {f"node{place // 2}/{name}": content for place, (name, content) in enumerate(files.items())}


@case(MISSING_RANK, **FOUND)
def the_default_names_of_new_versions():
    return rank_2_missing().files("comm_lib_trace_rank_{}")


@case(MISSING_RANK, **FOUND)
def dumps_as_json():
    return rank_2_missing().json_files("nccl_trace_rank_{}.json")


@case(MISSING_RANK, **FOUND)
def dumps_that_ray_wrote():
    return rank_2_missing().json_files("rank_{}.json")


@case(NO_EVIDENCE, says=["rank_2|no flight recorder"], **FOUND)
def ray_could_not_reach_rank_2():
    job = Job(4)
    job.all(job.world, "all_reduce", times=6)
    job.all(job.world, "all_reduce", state=PENDING)
    refused = json.dumps({"ok": False, "reason": "no flight recorder data within 10 s"}).encode()
    return job.json_files("rank_{}.json") | {"rank_2.json": refused}


@case(MISSING_RANK, **FOUND)
def json_with_active_entries_only():
    """What the debug server's handler gives: the missing rank has nothing active, only its counters."""
    return rank_2_missing().json_files("rank_{}.json", only_active=True)


@case(MISSING_RANK, **FOUND)
def a_plain_list_of_entries_as_in_2_1():
    dropped = {"thread_name", "thread_id", "p2p_seq_id", "is_p2p", "timeout_ms", "op_id", "process_group"}
    files = {}
    for rank in range(4):
        entries = [{"seq_id" if key == "collective_seq_id" else key: value
                    for key, value in entry.items() if key not in dropped}
                   for entry in rank_2_missing().dump(rank)["entries"]]
        files[f"nccl_trace_rank_{rank}"] = torch_pickle(entries)
    return files


@case(MISSING_RANK, **FOUND)
def one_rank_left_a_pickle_and_a_json():
    job = rank_2_missing()
    return job.files() | job.json_files("nccl_trace_rank_{}.json", but=[0, 2, 3])


@case(MISSING_RANK, **FOUND)
def the_same_dump_lies_there_twice():
    files = rank_2_missing().files()
    return files | {"copy/nccl_trace_rank_1": files["nccl_trace_rank_1"],
                    "copy/nccl_trace_rank_2": files["nccl_trace_rank_2"]}


@case()
def a_healthy_rank_left_a_pickle_and_a_json():
    job = Job(2)
    job.all(job.world, "all_reduce", times=6)
    return job.files() | job.json_files("nccl_trace_rank_{}.json")
