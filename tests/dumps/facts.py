"""Whether a verdict shows the facts of expected_facts.json.

    leaves         the first finding has one of these leaves; none: not asked
    codes          ... and one of these codes; an empty list: not asked
    scope          ... and this scope; null or none: not asked
    root_ranks     ... and exactly these root ranks; null: not asked
    victim_ranks   ... and exactly these victims; null: not asked
    must_say       regular expressions, each found in the first finding's texts or in the limits
    must_not_say   regular expressions, none found anywhere in the verdict's texts
    also           findings that must be there at any place: codes and root_ranks
    findings       0: a healthy job, no findings and exit status 0

Whatever the input, the run must end by itself within a minute, leave no new file, stay below 1 GB and print no control
byte.
"""

import json
import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

TIMEOUT_S = 60
MOST_MEMORY_KB = 1 << 20


def run(binary: Path, folder: Path) -> tuple[int, str, list[str]]:
    """Exit status, standard output, and what is wrong with how it ran."""
    faults = []
    with tempfile.TemporaryDirectory(prefix="lockstep-facts-") as scratch:
        work = Path(scratch) / "work"
        shutil.copytree(folder, work)
        before = sorted(work.rglob("*"))
        given = "dumps" if (work / "dumps").exists() else "logs"
        done = subprocess.run([binary, "diagnose", "--json", given], cwd=work, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_S)
        if sorted(work.rglob("*")) != before:
            faults.append("the run changed its input folder")
    if resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > MOST_MEMORY_KB:
        faults.append("the run took more than 1 GB")
    if any(byte < 0x20 and byte != 0x0a or byte == 0x7f for byte in done.stdout):
        faults.append("standard output holds control bytes")
    if done.returncode not in (0, 1):
        faults.append(f"exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.returncode, done.stdout.decode(), faults


def texts_of(finding: dict) -> list[str]:
    return [finding["title"], finding.get("explanation", "")] + [
        f"{one['file']} {one['text']}" for one in finding.get("evidence", [])]


def matches(finding: dict, facts: dict) -> list[str]:
    """What keeps a finding from being the one the facts describe."""
    faults = []
    for key, accepted in (("leaf", facts.get("leaves")), ("code", facts["codes"])):
        if accepted and finding[key] not in accepted:
            faults.append(f"{key} is {finding[key]}, not {' or '.join(accepted)}")
    if facts.get("scope") and finding["scope"] != facts["scope"]:
        faults.append(f"scope is {finding['scope']}, not {facts['scope']}")
    for key in ("root_ranks", "victim_ranks"):
        if facts.get(key) is not None and finding.get(key, []) != facts[key]:
            faults.append(f"{key} is {finding.get(key, [])}, not {facts[key]}")
    return faults


def faults_of(verdict: dict, status: int, facts: dict) -> list[str]:
    findings, limits = verdict["findings"], verdict.get("limits", [])
    faults = []
    if facts.get("findings") == 0:
        faults += [f"a healthy job has the finding {one['code']}: {one['title']}" for one in findings]
    elif not findings:
        faults.append(f"no finding; {' or '.join(facts['codes'] or facts['leaves'])} was expected")
    else:
        faults += matches(findings[0], facts)
    if status != (1 if findings else 0):
        faults.append(f"exit status {status} with {len(findings)} findings")
    said = "\n".join((texts_of(findings[0]) if findings else []) + limits)
    faults += [f"it does not say /{pattern}/" for pattern in facts["must_say"] if not re.search(pattern, said)]
    everything = "\n".join([text for one in findings for text in texts_of(one)] + limits)
    faults += [f"it says /{pattern}/" for pattern in facts["must_not_say"] if re.search(pattern, everything)]
    for other in facts.get("also", []):
        if not any(not matches(one, other) for one in findings):
            faults.append(f"no finding {' or '.join(other['codes'])} of {other['root_ranks']}")
    return faults


def check(binary: Path, folder: Path, facts: dict) -> tuple[list[str], str]:
    """What is wrong with the verdict on folder/dumps (or folder/logs), and the verdict itself."""
    output = ""
    try:
        status, output, faults = run(binary, folder)
        return faults or faults_of(json.loads(output), status, facts), output
    except subprocess.TimeoutExpired:
        return [f"still running after {TIMEOUT_S} s"], output
    except ValueError as error:
        return [f"standard output is not JSON: {error}"], output
