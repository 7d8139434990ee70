"""Files that say nothing or only half: each weakens the verdict, none ends it."""

from case import MISSING_RANK, NO_EVIDENCE, case
from job import PENDING, Job
from packing import gz


def all_wait() -> Job:
    job = Job(4)
    job.all(job.world, "all_reduce", times=6)
    job.all(job.world, "all_reduce", state=PENDING)
    return job


def healthy() -> Job:
    job = Job(4)
    job.all(job.world, "all_reduce", times=20)
    return job


GARBAGE = bytes((place * 197 + place // 7 * 61 + 13) % 256 for place in range(3000))


@case(NO_EVIDENCE, root=[2], victims=[0, 1, 3], says=["rank_2"])
def rank_2_left_garbage_and_the_others_wait():
    return all_wait().files() | {"nccl_trace_rank_2": GARBAGE}


@case(says=["rank_2"])
def garbage_in_a_healthy_job_is_only_a_limit():
    return healthy().files() | {"nccl_trace_rank_2": GARBAGE}


@case(says=["rank_1", r"\bcut\b|truncated|damaged"])
def a_cut_json_in_a_healthy_job_is_only_a_limit():
    files = healthy().json_files()
    return files | {"rank_1.json": files["rank_1.json"][:len(files["rank_1.json"]) // 2]}


@case(MISSING_RANK, root=[3], victims=[0, 2], says=["rank_1"])
def a_cut_json_does_not_hide_the_missing_rank():
    job = healthy()
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    files = job.json_files()
    return files | {"rank_1.json": files["rank_1.json"][:len(files["rank_1.json"]) // 2]}


@case(says=["rank_3"])
def a_cut_gzip_in_a_healthy_job_is_only_a_limit():
    files = {f"{name}.gz": gz(content) for name, content in healthy().files().items()}
    name = "nccl_trace_rank_3.gz"
    return files | {name: files[name][:len(files[name]) * 2 // 3]}


@case(NO_EVIDENCE, MISSING_RANK, root=[0], victims=[1, 2, 3], says=["rank_0"])
def a_dump_cut_before_its_first_entry():
    job = all_wait()
    files = job.files()
    return files | {"nccl_trace_rank_0": files["nccl_trace_rank_0"][:150]}


@case(MISSING_RANK, root=[1], victims=[0, 2, 3])
def other_files_beside_the_dumps_do_not_matter():
    job = Job(4)
    job.all(job.world, "all_reduce", times=6)
    job.all(job.world, "all_reduce", state=PENDING, but=[1])
    return job.files() | {"README.md": b"# Dumps of run 17\n", "config.json": b'{"learning_rate": 0.1}\n',
                          "image.bin": GARBAGE}


@case(MISSING_RANK, root=[3], victims=[0, 1, 2])
def fields_of_the_future_are_ignored():
    job = Job(4, version="3.7")
    job.all(job.world, "all_reduce", times=4, moon_phase="full", weights=[1.5, 2.5], nested={"a": [None, True]})
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    return job.files()


@case(MISSING_RANK, root=[3], victims=[0, 1, 2])
def fields_of_old_versions_may_be_absent():
    job = Job(4, version="2.2")
    job.all(job.world, "all_reduce", times=4)
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    for log in job.ranks:
        for entry in log.entries:
            for key in ("is_p2p", "thread_name", "thread_id", "timeout_ms", "output_dtypes"):
                del entry[key]
    return job.files()
