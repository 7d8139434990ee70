"""Checks findings files against the schema, and that the schema refuses broken ones.

usage: validate_findings.py SCHEMA FINDINGS...

The first file has at least one finding with evidence and a fix; the broken documents are made from it.
"""

import copy
import json
import sys

import jsonschema  # Debian's python3-jsonschema; make deps installs it


def without(path):
    def change(document):
        *parents, last = path
        del follow(document, parents)[last]

    return change


def having(path, value):
    def change(document):
        *parents, last = path
        follow(document, parents)[last] = value

    return change


def follow(document, path):
    for step in path:
        document = document[step]
    return document


FINDING = ("findings", 0)
BROKEN = {
    "no schema": without(["schema"]),
    "another schema": having(["schema"], "lockstep-findings-v2"),
    "no findings": without(["findings"]),
    "a finding that is no object": having(FINDING, 3),
    "no leaf": without([*FINDING, "leaf"]),
    "an unknown leaf": having([*FINDING, "leaf"], "PERF-HNAG"),
    "an unknown scope": having([*FINDING, "scope"], "local"),
    "confidence above 1": having([*FINDING, "confidence"], 1.5),
    "a negative rank": having([*FINDING, "root_ranks"], [-1]),
    "a rank that is no integer": having([*FINDING, "root_ranks"], ["3"]),
    "a title that is null": having([*FINDING, "title"], None),
    "evidence without text": without([*FINDING, "evidence", 0, "text"]),
    "an unknown level": having([*FINDING, "evidence", 0, "level"], "felt"),
    "an unknown pattern": having([*FINDING, "fixes", 0, "pattern"], "magic"),
    "a command that is no string": having([*FINDING, "fixes", 0, "commands"], [1]),
    "a limit that is no string": having(["limits"], [{}]),
}
ALLOWED = {
    "a new member at the top": having(["new"], {}),
    "a new member of a finding": having([*FINDING, "new"], [1]),
    "no level": without([*FINDING, "evidence", 0, "level"]),
    "no job": without(["job"]),
}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(schema_path, *findings_paths):
    schema = load(schema_path)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = []
    for path in findings_paths:
        faults += [f"{path}: {error.json_path}: {error.message}" for error in validator.iter_errors(load(path))]

    whole = load(findings_paths[0])
    for changes, expected in ((BROKEN, False), (ALLOWED, True)):
        for name, change in changes.items():
            document = copy.deepcopy(whole)
            change(document)
            if validator.is_valid(document) != expected:
                faults.append(f"{name}: {'refused' if expected else 'not refused'}")

    print("\n".join(faults) or f"{len(findings_paths)} files, {len(BROKEN)} broken documents: as expected")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
