"""The shell reader against bash: generated scripts are run with every launcher replaced by a recorder of its words and
variables, and read. What bash started must be among what the reader tells, in the same order with the same words; where
nothing in a script is open, the two are equal. bash is the truth.

SHELL_COMMANDS names the reader's program, SCRIPTS how many scripts are generated, SEED from which seed; a failing script is
printed whole.
"""

import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

READER = os.environ["SHELL_COMMANDS"]
SCRIPTS = int(os.environ.get("SCRIPTS", "100"))
SEED = int(os.environ.get("SEED", "32"))
LAUNCHERS = ["torchrun", "srun", "mpirun", "deepspeed"]
VARIABLES = ["E_A", "E_B", "E_C"]
RECORDER = """#!/bin/sh
{ printf 'C%s\\0' "${0##*/}"; for word; do printf 'A%s\\0' "$word"; done
for name in E_A E_B E_C; do eval "printf 'E%s=%s\\0' $name \\"\\${$name-unset}\\""; done; printf '.\\0'; } >> "$RECORD"
"""


class Generator:
    """Scripts as people write launch scripts: variables, arrays, functions, branches, loops and launchers."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.has_open_branch = False
        self.functions = 0

    def name(self) -> str:
        return self.random.choice(["N", "PORT", "ARGS", "HOST", *VARIABLES])

    def literal(self) -> str:
        return self.random.choice(["8", "4", "node1", "29500", "a b", "--nnodes 2", "x=y", "", "1 2 3", "it's", "a.b.c"])

    def quoted(self) -> str:
        text = self.literal()
        return f'"{text}"' if "'" in text or self.random.random() < 0.5 else f"'{text}'"

    def value(self) -> str:
        n = self.name()
        return self.random.choice([
            self.quoted(), self.quoted(), str(self.random.randint(1, 9)), f'"${n}"', f"${n}", f"${{{n}}}", f'"${{{n}:-8}}"',
            f'"${{{n}:-"8"}}"', f"${{{n}:=4}}", f"$(({self.random.randint(1, 9)} * {self.random.randint(1, 9)} + 1))",
            f'"x-${n}:${{PORT}}"', f"$(echo {n} 2)", f'"$(echo ${n})"', f"${{{n}%%.*}}", f"${{{n}#*.}}", f"${{#{n}}}",
            f"${{{n}/a/b}}", f'"${{{n}+set}}"', "`echo back`", "$'tab\\tx'", "a\\ b", "pre\"$N\"post",
            "7",
        ])

    def words(self) -> str:
        parts = [self.random.choice(["--nnodes", "--nproc_per_node=", "-x", ""]) + self.value()
                 for _ in range(self.random.randint(0, 4))]
        if self.random.random() < 0.3:
            parts.append(self.random.choice(['"${ARR[@]}"', "${ARR[@]}", "${ARR[*]}", '"${ARR[*]}"', "${ARR[0]}",
                                             "${#ARR[@]}", '"$@"', "$1", "$#"]))
        if self.random.random() < 0.1:
            parts.append("\\\n    next")
        return " ".join(parts)

    def launch(self) -> str:
        before = f"{self.random.choice(VARIABLES)}={self.value()} " if self.random.random() < 0.25 else ""
        command = f"{before}{self.random.choice(LAUNCHERS)} {self.words()}"
        form = self.random.random()
        if form < 0.08:
            return command + " &\nwait"
        if form < 0.14:
            return command + " > /dev/null 2>&1"
        if form < 0.18:
            return f"CMD=\"{self.random.choice(LAUNCHERS)} --flag $N\"\n$CMD {self.words()}"
        if form < 0.22:
            return f"eval \"{self.random.choice(LAUNCHERS)} $N ${{PORT}}\""
        return command

    def condition(self) -> str:
        n = self.name()
        return self.random.choice([f'[ "${n}" = "8" ]', f'[ -z "${n}" ]', f'[[ -n ${n} ]]', f'[[ "${n}" == a* ]]',
                                   f'[ "${n}" != "4" ]', f"(( {self.random.randint(0, 3)} > 1 ))", "true", "! false",
                                   f'[[ "${n}" == 8 || -z "$HOST" ]]', f'[ -n "${n}" ] && [ "$N" = 4 ]', f"test -n \"${n}\""])

    def block(self, depth: int) -> str:
        return "\n".join(self.statement(depth) for _ in range(self.random.randint(1, 3)))

    def statement(self, depth: int) -> str:
        kind = self.random.random()
        if depth > 2 or kind < 0.3:
            return self.launch()
        if kind < 0.5:
            return f"{self.random.choice(['', 'export ', 'declare '])}{self.name()}={self.value()}"
        if kind < 0.58:
            return self.random.choice([f"ARR=({self.words()})", f"ARR+=({self.words()})", f"ARR=({self.words()}\n {self.words()})",
                                       f"export {self.name()}", f"unset {self.name()}", "ARR[0]=zero"])
        if kind < 0.68:
            other = f"\nelse\n{self.block(depth + 1)}" if self.random.random() < 0.6 else ""
            middle = f"\nelif {self.condition()}; then\n{self.block(depth + 1)}" if self.random.random() < 0.3 else ""
            return f"if {self.condition()}; then\n{self.block(depth + 1)}{middle}{other}\nfi"
        if kind < 0.74:
            items = self.random.choice(["a b c", "1 2", '"x y" z', "$ARGS", '"${ARR[@]}"'])
            return f"for HOST in {items}; do\n{self.block(depth + 1)}\ndone"
        if kind < 0.78:
            return f"for ((i = 0; i < {self.random.randint(0, 3)}; i++)); do\n{self.random.choice(LAUNCHERS)} $i {self.words()}\ndone"
        if kind < 0.83:
            return f"case \"${self.name()}\" in\n  8|4) {self.launch()} ;;\n  a*) N=5 ;;\n  *) PORT=6 ;;\nesac"
        if kind < 0.89:
            self.functions += 1
            name = f"f{self.functions}"
            local = "  local N=local\n" if self.random.random() < 0.5 else ""
            return f"{name}() {{\n{local}{self.block(depth + 1)}\n}}\n{name} {self.words()}"
        if kind < 0.93:
            return f"({self.block(depth + 1)})"
        if kind < 0.96:
            return f"{self.condition()} && {self.name()}=and || {self.name()}=or"
        if kind < 0.98:
            self.has_open_branch = True
            return f"if [ -f /there/is/none ]; then\n{self.block(depth + 1)}\nelse\n{self.block(depth + 1)}\nfi"
        return f"cat > /dev/null <<EOF\ntorchrun not this $N\nEOF"

    def script(self) -> str:
        head = "#!/bin/bash\nN=8\nPORT=29500\nARGS=\"--a 1 --b\"\nHOST=node1.cluster\nARR=(one \"two words\")\n"
        return head + "\n".join(self.statement(0) for _ in range(self.random.randint(3, 9))) + "\n"


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    for name in LAUNCHERS:
        (folder / name).write_text(RECORDER)
        (folder / name).chmod(0o755)
    return folder


def by_bash(script: Path, recorder: Path, record: Path) -> tuple[list[tuple], bool]:
    """What it started, and whether it complained: then it may have given up in the middle."""
    record.write_bytes(b"")
    environment = {"PATH": f"{recorder}:/usr/bin:/bin", "RECORD": str(record)}
    ended = subprocess.run(["bash", str(script)], env=environment, cwd=script.parent, stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=60, check=False)
    commands, words, variables = [], [], {}
    for part in record.read_bytes().decode().split("\0"):
        if part.startswith(("C", "A")):
            words.append(part[1:])
        elif part.startswith("E"):
            name, _, value = part[1:].partition("=")
            variables[name] = value
        elif part == ".":
            commands.append((words, variables))
            words, variables = [], {}
    return commands, bool(ended.stderr)


def by_reader(script: Path) -> list[tuple]:
    told = subprocess.run([READER, str(script)], env={"PATH": "/usr/bin:/bin"}, capture_output=True, timeout=60, check=True)
    commands = []
    for line in told.stdout.decode().splitlines():
        command = json.loads(line)
        if command["words"][0] in LAUNCHERS:
            commands.append((command["words"], {name: command["environment"].get(name, "unset") for name in VARIABLES}))
    return commands


def pattern(text: str) -> str:
    return "".join(".*" if part.startswith(("\x01", "\x03")) else re.escape(part)
                   for part in re.split("([\x01\x03][^\x02]*\x02)", text))


def covers(told: tuple, ran: tuple) -> bool:
    """An open part stands for any text, one that the shell would split for any number of words."""
    one = "".join(".*" if word.startswith("\x03") and word.endswith("\x02") else pattern(word) + "\0" for word in told[0])
    if not re.fullmatch(one, "".join(word + "\0" for word in ran[0]), re.DOTALL):
        return False
    return all(re.fullmatch(pattern(told[1][name]), ran[1][name], re.DOTALL) for name in VARIABLES)


def is_open(command: tuple) -> bool:
    return any("\x01" in text or "\x03" in text for text in [*command[0], *command[1].values()])


def test_generated_scripts(recorder, tmp_path):
    open_words = compared = 0
    differences = []
    for number in range(SCRIPTS):
        generator = Generator(SEED * 1_000_003 + number)
        script = tmp_path / "script.sh"
        script.write_text(generator.script())
        ran, complained = by_bash(script, recorder, tmp_path / "record")
        told = by_reader(script)
        at = 0
        for command in ran:
            compared += 1
            found = next((i for i in range(at, len(told)) if covers(told[i], command)), None)
            if found is None:
                differences.append(f"script {number}: bash ran {command}, the reader told {told}\n{script.read_text()}")
                continue
            open_words += is_open(told[found])
            at = found + 1
        if not complained and not generator.has_open_branch and not any(is_open(command) for command in told):
            if len(told) != len(ran):
                differences.append(f"script {number}: ran {ran}, told {told}\n{script.read_text()}")
    print(f"{SCRIPTS} scripts, {compared} commands, {open_words} with open parts, {len(differences)} differences")
    assert len(differences) <= compared * 0.02, "\n\n".join(differences[:5])
    # Open is no way out: nearly everything in these scripts can be known.
    assert open_words <= compared * 0.15, f"{open_words} of {compared} are open"
