"""What the tests of the network part share: facts of a host, and the program that asks the network part."""

import json
import os
import pathlib
import subprocess

from recordings import BUILD, LOCKSTEP

PROGRAM = os.environ.get("NETWORK_PROGRAM", str(BUILD / "tests/e2e/network_program"))
PATIENCE_S = 240


def facts_of(host, folder: pathlib.Path, *flags: str) -> pathlib.Path:
    file = folder / f"{host.name}.json"
    host.run([str(LOCKSTEP), "facts", "-o", str(file), *flags], check=True, timeout=PATIENCE_S)
    return file


def asked(*words) -> str:
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout


def interpreter(environment: str) -> str:
    """Of one of the lab's environments, by the start of its name."""
    found = sorted((pathlib.Path.home() / ".cache/lockstep-lab").glob(f"{environment}*/bin/python"))
    assert found, f"no {environment} among the lab's environments: run  make lab-deps"
    return str(found[-1])


def predicted(file: pathlib.Path, environment: dict) -> dict:
    """What each library would choose on the host with these facts."""
    return json.loads(asked("choices", file, *(f"{key}={value}" for key, value in environment.items())))


def real(environment: str, script: str, questions: object, hosts: int) -> object:
    """What a library itself answers; the script runs in one of the lab's environments."""
    done = subprocess.run([interpreter(environment), str(pathlib.Path(__file__).with_name(script))], text=True,
                          input=json.dumps(questions), capture_output=True, timeout=PATIENCE_S * (hosts + 2))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
