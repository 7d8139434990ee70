"""The longer half of network_choices_test.py, for `make test-network`: libraries that take long to start."""

import json
import os
import pathlib
import subprocess

import pytest

from network_hosts import predicted, real
from network_layouts import layout_hosts

LAYOUTS = int(os.environ.get("LOCKSTEP_LAYOUTS", "8"))


@pytest.fixture
def hosts(tmp_path):
    with layout_hosts(LAYOUTS, tmp_path) as made:
        yield made


PROXIED = {"http_proxy": "http://127.0.0.1:7002"}
PROXIES = [{}, PROXIED, PROXIED | {"no_proxy": "lab,aster"}, PROXIED | {"no_proxy": "other, alias"}, {"grpc_proxy": "http://127.0.0.1:7002"}]


def test_tensorflow_connects_as_predicted(hosts):
    questions, words, told = [], [], []
    for one, host, file in hosts:
        for peer in ("master", "alias"):
            environment = PROXIES[(one.index + len(peer)) % len(PROXIES)]
            cluster = {"cluster": {"worker": ["127.0.0.1:7003", f"{peer}:7001"]}, "task": {"type": "worker", "index": 0}}
            word = predicted(file, {"TF_CONFIG": json.dumps(cluster), **environment})["tensorflow"][1][1]
            if word:  # a name that does not resolve is never asked
                questions.append([host.pid, peer, environment])
                words.append(["::", word])
                told.append((one, peer, environment))
    for question, word, answer in zip(told, words, real("tensorflow-", "real_tensorflow.py", questions, LAYOUTS)):
        assert [answer[0][0], answer[1]] == word, question


def test_nccl_takes_the_interface_predicted(hosts):
    fetched = subprocess.run([pathlib.Path(__file__).parents[2] / "lab/envs/nccl_library"], check=True, capture_output=True, text=True)
    asked_of = [(one, host, file, settings) for one, host, file in hosts for settings in one.nccl]
    answers = real("torch-", "real_nccl.py", {"library": fetched.stdout.strip(),
                                              "questions": [[host.pid, settings] for _, host, _, settings in asked_of]}, LAYOUTS)
    wrong = []
    for (one, _, file, settings), answer in zip(asked_of, answers):
        word = predicted(file, {"NCCL_VERSION": "2.28.9", **settings})["nccl"]
        if (word[0] if word else []) != (answer if len(answer) == 2 else []):
            wrong.append(f"{settings}: predicted {word}, real {answer}\n{one}")
    assert not wrong, "\n\n".join(wrong)
    assert {len(answer) for answer in answers} == {1, 2}  # some find none
