"""Files made to hurt the reader. None may be executed, crash it, or make it take memory out of proportion."""

import struct

from case import MISSING_RANK, NO_EVIDENCE, case
from job import PENDING, Job
from torch_pickle import torch_pickle


def among_waiting_ranks(hostile: bytes) -> dict[str, bytes]:
    """Ranks 0, 1 and 3 wait in the last all_reduce; what lies there as rank 2's dump is `hostile`."""
    job = Job(4)
    job.all(job.world, "all_reduce", times=6)
    job.all(job.world, "all_reduce", state=PENDING)
    return job.files() | {"nccl_trace_rank_2": hostile}


EXPECTED = {"root": [2], "victims": [0, 1, 3], "says": ["rank_2"]}


@case(NO_EVIDENCE, **EXPECTED)
def a_pickle_that_calls_a_program_is_not_executed():
    """check_facts fails when the run leaves a new file."""
    return among_waiting_ranks(b"cos\nsystem\n(S'touch executed'\ntR.")


@case(NO_EVIDENCE, **EXPECTED)
def a_call_hidden_inside_a_dump_is_not_executed():
    call = b"cos\nsystem\nX\x0e\x00\x00\x00touch executed\x85R"
    return among_waiting_ranks(b"\x80\x02}(X\x07\x00\x00\x00versionq\x00" + call + b"X\x07\x00\x00\x00entriesq\x01](eu.")


@case(NO_EVIDENCE, **EXPECTED)
def a_pickle_that_doubles_itself_is_refused():
    """Each list holds the one before ten times: 10^60 values in 2 KB."""
    bomb = b"](X\x03\x00\x00\x00lolq\x00" + b"h\x00" * 9 + b"e" + struct.pack("<cB", b"q", 1)
    for level in range(1, 60):
        bomb += b"0](" + struct.pack("<cB", b"h", level) * 10 + b"e" + struct.pack("<cB", b"q", level + 1)
    return among_waiting_ranks(b"\x80\x02}(X\x07\x00\x00\x00entriesq\xff" + bomb + b"u.")


@case(NO_EVIDENCE, **EXPECTED)
def a_pickle_nested_a_hundred_thousand_deep_is_refused():
    return among_waiting_ranks(b"\x80\x02" + b"](" * 100_000 + b"e" * 100_000 + b".")


@case(NO_EVIDENCE, **EXPECTED)
def a_json_nested_a_hundred_thousand_deep_is_refused():
    files = among_waiting_ranks(b"")
    del files["nccl_trace_rank_2"]
    return files | {"rank_2.json": b'{"version":"2.10","entries":' + b"[" * 100_000 + b"]" * 100_000 + b"}"}


@case(NO_EVIDENCE, **EXPECTED)
def a_pickle_with_lengths_beyond_its_end_is_refused():
    return among_waiting_ranks(b"\x80\x02}(X\xff\xff\xff\xffversion" + b"\x8d" + b"\xff" * 8 + b"u.")


@case(NO_EVIDENCE, **EXPECTED)
def a_pickle_that_holds_itself_is_refused():
    return among_waiting_ranks(b"\x80\x02}(X\x07\x00\x00\x00entriesq\x00]q\x01(h\x01h\x01eu.")


@case(MISSING_RANK, root=[3], victims=[0, 1, 2])
def numbers_out_of_range_are_survived():
    job = Job(4)
    job.all(job.world, "all_reduce", times=3)
    job.all(job.world, "all_reduce", state=PENDING, but=[3])
    dump = job.dump(3)
    dump["entries"][0] |= {"pg_id": -1, "record_id": -(2**62), "time_created_ns": 2**63 - 1, "timeout_ms": -1,
                           "p2p_seq_id": -(2**63), "op_id": 2**63 - 1, "thread_id": "not a number"}
    return job.files() | {"nccl_trace_rank_3": torch_pickle(dump)}


@case(MISSING_RANK, root=[1], victims=[0, 2, 3])
def control_characters_in_names_do_not_reach_the_terminal():
    """No output may hold a control byte; in every case facts.py looks."""
    job = Job(4)
    evil = job.group("1", range(4), "\x1b[2J\x1b]0;owned\x07grads\r\n")
    job.all(evil, "all_reduce", times=3)
    job.all(evil, "all_reduce", state=PENDING, but=[1], in_function="step\x1b[31m")
    return job.files()
