from faultlab.blame import DEBUG_DETAIL, FLIGHT_ANALYZER, OWN_WORDS, STALL_INSPECTOR, ranks_blamed


def test_the_first_failure_of_a_torchrun_summary():
    text = ("Failures:\n[0]:\n  rank      : 0 (local_rank: 0)\n---\nRoot Cause (first observed failure):\n[1]:\n"
            "  time      : 2026-01-01_00:00:00\n  host      : node\n  rank      : 1 (local_rank: 1)\n")
    assert ranks_blamed(text, OWN_WORDS) == [1]


def test_other_launchers():
    assert ranks_blamed("mpirun noticed that process rank 3 with PID 0 on node a exited on signal 9 (Killed).", OWN_WORDS) == [3]
    assert ranks_blamed("terminated with non-zero status, thus causing\nProcess name: 1\nExit code: 1\n", OWN_WORDS) == [1]


def test_horovods_stall_inspector_names_the_missing():
    text = "Stalled ops:\nallreduce.x [missing ranks: 1, 3]\n"
    assert ranks_blamed(text, STALL_INSPECTOR) == [1, 3]


def test_debug_detail_and_flight_analyzer():
    assert ranks_blamed("Ranks 1, 2 failed to pass monitoredBarrier in 6000 ms", DEBUG_DETAIL) == [1, 2]
    assert ranks_blamed("missing ranks: {2}", FLIGHT_ANALYZER) == [2]
    assert ranks_blamed("We cannot decide what's wrong because we missed FR dumps from ranks ({1}) so", FLIGHT_ANALYZER) == [1]
    assert ranks_blamed("missed FR dumps from ranks ({1})\nerror msg: Culprit rank 2; Error type: X", FLIGHT_ANALYZER) == [2]


def test_a_text_that_blames_nobody():
    assert ranks_blamed("RuntimeError: Connection closed by peer [127.0.0.1]:4711", OWN_WORDS + DEBUG_DETAIL) == []
