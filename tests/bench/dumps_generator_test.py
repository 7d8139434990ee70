"""dumps_generator_test.py GENERATOR: the dumps are what PyTorch would have written, and hold the fault that was asked for."""

import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dumps"))

from torch_pickle import torch_pickle

GENERATOR = sys.argv.pop(1)
RANKS, ENTRIES, MISSING = 16, 304, 3


class Generator(unittest.TestCase):
    def generate(self, shape: str, missing: int) -> list[dict]:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([GENERATOR, folder, shape, str(RANKS), str(ENTRIES), str(missing)], check=True)
            contents = [Path(folder, f"nccl_trace_rank_{rank}").read_bytes() for rank in range(RANKS)]
        dumps = [pickle.loads(content) for content in contents]
        for rank, (dump, content) in enumerate(zip(dumps, contents)):
            self.assertEqual(torch_pickle(dump), content, f"{shape} rank {rank}")
            self.assertEqual(len(dump["entries"]), ENTRIES)
        return dumps

    def waiting(self, dumps: list[dict]) -> list[int]:
        return [rank for rank, dump in enumerate(dumps) if any(not one["retired"] for one in dump["entries"])]

    def test_all_wait_for_the_missing_rank_of_the_world(self):
        dumps = self.generate("world", MISSING)
        self.assertEqual(self.waiting(dumps), [rank for rank in range(RANKS) if rank != MISSING])
        last = [dump["entries"][-1]["collective_seq_id"] for dump in dumps]
        self.assertEqual([rank for rank in range(RANKS) if last[rank] < max(last)], [MISSING])

    def test_only_the_ranks_of_its_group_wait_for_the_missing_one(self):
        dumps = self.generate("tp8dp", MISSING)
        self.assertEqual(self.waiting(dumps), [MISSING + 8])
        self.assertEqual(dumps[11]["entries"][-1]["process_group"][1], "dp")

    def test_numbers_rise_by_one_within_each_group(self):
        for dump in self.generate("tp8dp", -1):
            for group in (1, 2):
                numbers = [one["collective_seq_id"] for one in dump["entries"] if one["pg_id"] == group]
                self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
                self.assertEqual(dump["pg_status"][str(group)]["last_completed_collective"], numbers[-1])

    def test_nobody_waits_when_nobody_is_missing(self):
        for shape in ("world", "tp8dp"):
            self.assertEqual(self.waiting(self.generate(shape, -1)), [])


if __name__ == "__main__":
    unittest.main()
