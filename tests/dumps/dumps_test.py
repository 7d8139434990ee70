"""The writer of dumps, the cases made with it, and the check of their facts."""

import json
import pickle
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from facts import check, faults_of
from job import Job, dump_json
from torch_pickle import torch_pickle


class Writer(unittest.TestCase):
    def test_real_dumps_come_out_byte_for_byte(self):
        """These were taken from real jobs; only the paths in them were shortened."""
        real = sorted(path for path in (HERE / "real").rglob("*rank_*") if path.suffix != ".json")
        self.assertGreater(len(real), 10)
        for path in real:
            content = path.read_bytes()
            self.assertEqual(torch_pickle(pickle.loads(content)), content, path)

    def test_a_real_dump_as_json(self):
        pickled = pickle.loads((HERE / "real/both_forms/fr_trace_rank_0").read_bytes())
        self.assertEqual(dump_json(pickled), (HERE / "real/both_forms/fr_trace_rank_0.json").read_bytes())

    def test_an_entry_has_the_fields_of_a_real_one_in_their_order(self):
        real = pickle.loads((HERE / "real/both_forms/fr_trace_rank_0").read_bytes())
        job = Job(2, backend="gloo")
        job.all(job.world, "all_reduce")
        made = job.dump(0)
        self.assertEqual(list(made), list(real))
        self.assertEqual(list(made["entries"][0]), list(real["entries"][0]))
        self.assertEqual({key: type(value) for key, value in made["entries"][0].items()},
                         {key: type(value) for key, value in real["entries"][0].items()})

    def test_numbers_beyond_every_width(self):
        for number in (0, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**62, -1, -2**31, -2**31 - 1):
            self.assertEqual(pickle.loads(torch_pickle({"number": number})), {"number": number})

    def test_sequences_run_by_rank_and_group(self):
        job = Job(3)
        pair = job.group("1", [1, 2])
        job.all(job.world, "all_reduce", times=2)
        job.all(pair, "all_reduce")
        job.all(job.world, "all_reduce", but=[0])
        self.assertEqual([(one["pg_id"], one["collective_seq_id"]) for one in job.dump(2)["entries"]],
                         [(0, 1), (0, 2), (1, 1), (0, 3)])
        self.assertEqual(job.dump(0)["pg_status"]["0"]["last_enqueued_collective"], 2)


class MadeCases(unittest.TestCase):
    def test_making_them_again_gives_the_same_files(self):
        done = subprocess.run([HERE / "make_cases", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


def verdict(*findings, limits=()):
    return {"findings": list(findings), "limits": list(limits)}


def finding(code="desync.missing_rank", roots=(3,), text="rank 3 is late"):
    return {"code": code, "root_ranks": list(roots), "title": text, "evidence": [{"file": "dumps/rank_3", "text": ""}]}


FACTS = {"codes": ["desync.missing_rank"], "root_ranks": [3], "victim_ranks": None, "must_say": ["late"],
         "must_not_say": ["rank 7"]}
HEALTHY = {"findings": 0, "must_say": [], "must_not_say": []}


class Facts(unittest.TestCase):
    def test_the_right_verdict_passes(self):
        self.assertEqual(faults_of(verdict(finding()), 1, FACTS), [])
        self.assertEqual(faults_of(verdict(), 0, HEALTHY), [])

    def test_each_wrong_thing_is_told(self):
        for wrong, status, word in (
                (verdict(), 0, "no finding"), (verdict(finding("mismatch.shape")), 1, "code"),
                (verdict(finding(roots=[2])), 1, "root_ranks"), (verdict(finding(text="rank 3")), 1, "does not say"),
                (verdict(finding(), limits=["rank 7 too"]), 1, "it says"), (verdict(finding()), 0, "exit status")):
            self.assertTrue(any(word in fault for fault in faults_of(wrong, status, FACTS)), word)
        self.assertTrue(faults_of(verdict(finding()), 1, HEALTHY))

    def test_a_further_finding_is_asked_for(self):
        facts = FACTS | {"also": [{"codes": ["mismatch.shape"], "root_ranks": [1]}]}
        self.assertTrue(faults_of(verdict(finding()), 1, facts))
        self.assertEqual(faults_of(verdict(finding(), finding("mismatch.shape", [1])), 1, facts), [])

    def test_a_run_that_writes_into_its_input_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder) / "lockstep"
            fake.write_text(f"#!/bin/sh\ntouch executed\necho '{json.dumps(verdict())}'\n")
            fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
            (Path(folder) / "case/dumps").mkdir(parents=True)
            faults, _ = check(fake, Path(folder) / "case", HEALTHY)
            self.assertEqual(faults, ["the run changed its input folder"])


if __name__ == "__main__":
    unittest.main()
