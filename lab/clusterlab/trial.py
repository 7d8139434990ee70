"""One case from beginning to end: the job as it is, check, and the job with what check printed."""

import json
import pathlib
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

from clusterlab.bed import Bed, JobEnd
from clusterlab.case import Case
from clusterlab.launch_files import scripts_of

ERROR = 0.9
PATIENCE_S = 90.0  # with a job that must work


@dataclass
class Outcome:
    case: Case
    before: JobEnd | None = None
    after: JobEnd | None = None
    check_s: float = 0.0
    findings: list = field(default_factory=list)
    repair: dict = field(default_factory=dict)
    wrong: list = field(default_factory=list)  # in words; empty: as it must be


def try_case(case: Case, lockstep: str, with_jobs: bool = True) -> Outcome:
    outcome = Outcome(case)
    with tempfile.TemporaryDirectory(prefix="lockstep-cluster-") as name:
        folder = pathlib.Path(name)
        scripts = []
        for index, text in enumerate(scripts_of(case, folder)):
            scripts.append(folder / f"host{index}.sh")
            scripts[-1].write_text(text)
        with Bed(case, folder) as bed:
            if with_jobs:
                outcome.before = bed.run_job(scripts, case.patience_s if case.code else PATIENCE_S)
            _check(outcome, bed, scripts, lockstep)
            if case.code and case.repairable and outcome.repair.get("verified"):
                for host, commands in _commands(outcome, bed).items():
                    bed.run_commands(host, commands)
                if case.manifest:
                    bed.enforce_policies()
                if with_jobs:
                    outcome.after = bed.run_job(scripts, PATIENCE_S)
    outcome.wrong = _wrong(outcome)
    return outcome


def _commands(outcome: Outcome, bed: Bed) -> dict:
    """Those that --apply leaves to a person, by host; of a probe those of the finding, on every host."""
    if outcome.case.probe:
        found = [finding for finding in outcome.findings if finding["code"] == outcome.case.code]
        commands = [command for finding in found for fix in finding["fixes"] for command in fix["commands"]]
        return {host.name: commands for host in bed.hosts}
    return {host["host"]: [one["command"] for one in host["commands"] if one["kind"] in ("firewall", "system")]
            for host in outcome.repair["hosts"]}


def _check(outcome: Outcome, bed: Bed, scripts: list[pathlib.Path], lockstep: str):
    flags, files, environ = [], [str(bed.manifest)], None
    if not outcome.case.manifest:
        flags, files = ["--facts", str(bed.facts(lockstep))], [str(script) for script in scripts]
    if outcome.case.probe:
        flags, environ = bed.probing(lockstep)
    command = [lockstep, "check", *flags, "--json"]
    began = time.monotonic()
    done = subprocess.run([*command, *files], capture_output=True, text=True, cwd=bed.folder, env=environ)
    outcome.check_s = time.monotonic() - began
    assert done.returncode in (0, 1), done.stderr
    outcome.findings = json.loads(done.stdout)["findings"]
    if outcome.case.code and outcome.case.probe:
        outcome.repair = {"verified": any(finding["code"] == outcome.case.code for finding in outcome.findings)}
    elif outcome.case.code:
        fixed = subprocess.run([*command, "--fix", "--apply", *files],
                               capture_output=True, text=True, cwd=bed.folder, stdin=subprocess.DEVNULL)
        assert fixed.returncode in (0, 1), fixed.stderr
        outcome.repair = json.loads(fixed.stdout)["repair"]


def _wrong(outcome: Outcome) -> list[str]:
    case, wrong = outcome.case, []
    if not case.code:
        if outcome.before and not outcome.before.worked:
            wrong.append(f"the healthy job failed: {outcome.before.said}")
        errors = [finding["title"] for finding in outcome.findings if finding["confidence"] >= ERROR]
        return wrong + [f"check says: {title}" for title in errors]
    if outcome.before and outcome.before.worked:
        wrong.append("the job works although it is broken")
    if case.code not in [finding["code"] for finding in outcome.findings]:
        wrong.append(f"check does not say {case.code}: {[finding['code'] for finding in outcome.findings]}")
    if not case.repairable:
        return wrong + ([] if outcome.repair.get("in_the_way") else ["check does not say what is in the way"])
    if not outcome.repair.get("verified"):
        wrong.append(f"no repair: {outcome.repair.get('in_the_way')}")
    elif outcome.after and not outcome.after.worked:
        wrong.append(f"the repaired job {'hangs' if outcome.after.hung else 'fails'}: {outcome.after.said}")
    return wrong
