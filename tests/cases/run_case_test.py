"""The case runner itself: what it accepts, what it refuses, what it replaces."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(__file__).with_name("run_case")
FAKE = """#!/bin/sh
case $1 in
    --version) echo "lockstep 9.8.7" ;;
    own) echo "$PWD pid $$ $(date -u +%Y-%m-%dT%H:%M:%SZ) 9.8.7 2001-02-03T04:05:06Z pid 1" ;;
    json) echo '{"b": [1, "9.8.7"], "a": {"pid": '$$', "text": "x"}}' ;;
    cat) cat seen.log ;;
    fail) echo sorry >&2; exit 2 ;;
    hello) echo hello ;;
esac
"""


class RunCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fake = Path(folder.name) / "fake"
        self.fake.write_text(FAKE)
        self.fake.chmod(0o755)
        self.case = Path(folder.name) / "shows_something"
        self.case.mkdir()
        self.kept = Path(folder.name) / "kept"
        self.kept.mkdir()

    def write(self, **files):
        for name, text in files.items():
            name = name.replace("__", "/").replace("expected_txt", "expected.txt").replace("expected_json", "expected.json")
            path = self.case / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    def run_case(self, *flags):
        return subprocess.run([sys.executable, RUNNER, "--lockstep", self.fake, *flags, self.case], text=True,
                              capture_output=True, env=os.environ | {"TMPDIR": str(self.kept)})

    def test_passes_when_everything_is_as_expected(self):
        self.write(cmd="lockstep fail\n", expected_error="sorry\n", expected_status="2\n")
        self.assertEqual(self.run_case().returncode, 0)
        self.assertEqual(list(self.kept.iterdir()), [])

    def test_shows_a_diff_keeps_the_folder_and_says_how_to_rerun(self):
        self.write(cmd="lockstep hello\n", expected_txt="goodbye\n")
        result = self.run_case()
        self.assertEqual(result.returncode, 1)
        self.assertIn("-goodbye\n+hello\n", result.stdout)
        self.assertIn(f"{RUNNER} --lockstep {self.fake} {self.case}", result.stdout)
        self.assertEqual(len(list(self.kept.iterdir())), 1)

    def test_runs_in_a_copy_of_the_input(self):
        self.write(cmd="lockstep cat && rm seen.log\n", input__seen_log="")
        (self.case / "input" / "seen_log").rename(self.case / "input" / "seen.log")
        (self.case / "input" / "seen.log").write_text("rank 3\n")
        self.write(expected_txt="rank 3\n")
        self.assertEqual(self.run_case().returncode, 0)
        self.assertTrue((self.case / "input" / "seen.log").exists())

    def test_replaces_only_what_this_run_made(self):
        self.write(cmd="lockstep own\n",
                   expected_txt="<WORK> pid <PID> <TIME> <VERSION> 2001-02-03T04:05:06Z pid 1\n")
        result = self.run_case()
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_compares_json_by_value(self):
        self.write(cmd="lockstep json\n", expected_json='{"a":{"text":"x","pid":"<PID>"},"b":[1,"<VERSION>"]}')
        result = self.run_case()
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_output_nobody_expected_is_a_failure(self):
        self.write(cmd="lockstep hello\n", expected_status="0\n")
        self.assertIn("+hello", self.run_case().stdout)

    def test_refuses_a_case_that_checks_nothing(self):
        self.write(cmd="lockstep hello\n")
        self.assertIn("no expected file", self.run_case().stderr)

    def test_refuses_unknown_files_and_a_missing_or_long_cmd(self):
        self.write(expected_txt="")
        self.assertIn("no cmd file", self.run_case().stderr)
        self.write(cmd="one\ntwo\n")
        self.assertIn("not one line", self.run_case().stderr)
        self.write(cmd="lockstep\n", expected="typo")
        self.assertIn("unknown files: expected", self.run_case().stderr)

    def test_update_writes_what_the_next_run_accepts(self):
        for command in ("lockstep own", "lockstep fail", "true"):
            for old in self.case.glob("expected*"):
                old.unlink()
            self.write(cmd=command + "\n")
            self.assertEqual(self.run_case("--update").returncode, 0)
            self.assertEqual(self.run_case().returncode, 0, command)


unittest.main()
