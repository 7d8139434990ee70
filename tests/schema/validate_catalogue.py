"""Checks the files of the catalogue against their schemas with a validator that is not ours, and that ours agrees with it.

usage: validate_catalogue.py SOURCE_FOLDER CHECK_YAML

CHECK_YAML is our validator: `check_yaml SCHEMA FILE...` prints "FILE: sound" or its faults. Both judge every file, and
documents made from some of them by breaking one thing each.
"""

import copy
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema  # Debian's python3-jsonschema; make deps installs it
import yaml

LONGEST_LINE = 140


class Loader(yaml.SafeLoader):
    """YAML 1.2 as editors read it: `on` and dates are texts."""

    yaml_implicit_resolvers = {}


for tag, pattern, first in [
    ("bool", r"^(true|false)$", "tf"),
    ("null", r"^(null|~)$", "n~"),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?([0-9]*\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$", "-+.0123456789"),
]:
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


def schema_of(file: Path) -> Path:
    """The one that the first line names for editors."""
    first = file.read_text().split("\n", 1)[0]
    match = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
    assert match, f"{file}: the first line names no schema"
    schema = (file.parent / match[1]).resolve()
    assert schema.is_file(), f"{file}: there is no {match[1]}"
    return schema


def broken(document):
    """The document with one thing wrong, again and again: (name, document). Not all of them are wrong."""
    for path in paths_in(document):
        *parents, last = path
        for name, value in [("removed", None), ("emptied", ""), ("a number", 7), ("a list", []), ("a mapping", {"x": "y"})]:
            other = copy.deepcopy(document)
            inside = other
            for step in parents:
                inside = inside[step]
            if name == "removed":
                del inside[last]
            else:
                inside[last] = value
            yield f"{'/'.join(map(str, path))} {name}", other
        if isinstance(last, str):
            other = copy.deepcopy(document)
            inside = other
            for step in parents:
                inside = inside[step]
            inside[last + "x"] = inside.pop(last)
            yield f"{'/'.join(map(str, path))} renamed", other


def paths_in(value, above=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in items:
        yield (*above, key)
        yield from paths_in(inside, (*above, key))


def judged_by_ours(check_yaml: str, schema: Path, files: list[Path]) -> dict[Path, bool]:
    output = subprocess.run([check_yaml, schema, *files], capture_output=True, text=True, check=True).stdout
    sound = {line.removesuffix(": sound") for line in output.splitlines() if line.endswith(": sound")}
    return {file: str(file) in sound for file in files}


def main() -> int:
    source, check_yaml = Path(sys.argv[1]), sys.argv[2]
    files = sorted((source / "catalogue").rglob("*.yaml"))
    faults = [f"{file}:{number}: longer than {LONGEST_LINE} characters"
              for file in files for number, line in enumerate(file.read_text().splitlines(), 1) if len(line) > LONGEST_LINE]
    by_schema: dict[Path, list[Path]] = {}
    for file in files:
        by_schema.setdefault(schema_of(file), []).append(file)
    cases = sorted((source / "tests/cases/catalogue").rglob("input/**/*.yaml"))
    by_schema[source.resolve() / "catalogue/schema/lockstep-symptom-v1.json"] += cases
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for schema, described in by_schema.items():
            text = json.loads(schema.read_text())
            jsonschema.Draft202012Validator.check_schema(text)
            validator = jsonschema.Draft202012Validator(text)
            documents = {file: yaml.load(file.read_text(), Loader) for file in described}
            samples = list(documents.items())[:: max(1, len(documents) // 6)]
            for file, document in samples:
                for number, (_, wrong) in enumerate(broken(document)):
                    if number > 150:
                        break
                    made = Path(folder) / f"{schema.stem}_{file.stem}_{number}.yaml"
                    made.write_text(json.dumps(wrong))
                    documents[made] = wrong
            ours = judged_by_ours(check_yaml, schema, list(documents))
            for file, document in documents.items():
                errors = [error.message for error in validator.iter_errors(document)]
                if (not errors) != ours[file]:
                    faults.append(f"{file}: the validators disagree: {errors or 'sound'}: {json.dumps(document)[:300]}")
                elif errors and file in files:
                    faults.append(f"{file}: {errors[0]}")
                compared += 1
    print("\n".join(faults) if faults else f"catalogue: {len(files)} files fit their schemas, {compared} documents judged alike")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
