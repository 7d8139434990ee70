"""What a terminal would show of the bytes a program sends it: enough of one to test `lockstep top`, and strict about the
rest. A sequence that is not known here fails the test."""

import re

SEQUENCE = re.compile(rb"\x1b(?:\[([?>]?)([0-9;]*)([A-Za-z])|([=>()][B0]?))")


class TerminalScreen:
    def __init__(self, columns: int, rows: int):
        self.modes: dict[str, bool] = {}
        self.resize(columns, rows)
        self._pending = b""

    def resize(self, columns: int, rows: int):
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0

    @property
    def is_alternate(self) -> bool:
        return self.modes.get("1049", False)

    @property
    def has_cursor(self) -> bool:
        return self.modes.get("25", True)

    @property
    def wraps(self) -> bool:
        return self.modes.get("7", True)

    @property
    def text(self) -> str:
        return "\n".join("".join(line).rstrip() for line in self.cells)

    def feed(self, data: bytes):
        data = self._pending + data
        self._pending = b""
        while data:
            if data[0] == 0x1b:
                match = SEQUENCE.match(data)
                if match is None:
                    assert len(data) < 16, f"unknown sequence {data[:16]!r}"
                    self._pending = data
                    return
                self._act(match)
                data = data[match.end():]
                continue
            end = data.find(b"\x1b")
            chunk, data = (data, b"") if end < 0 else (data[:end], data[end:])
            if not data:  # a character may have arrived in part
                while chunk and len(chunk.decode(errors="ignore").encode()) != len(chunk):
                    chunk, self._pending = chunk[:-1], chunk[-1:] + self._pending
            for character in chunk.decode():
                self._put(character)
            if self._pending:
                return

    def _put(self, character: str):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif character == "\b":
            self.column = max(self.column - 1, 0)
        elif character >= " ":
            if self.column < self.columns:
                self.cells[self.row][self.column] = character
            self.column += 1

    def _act(self, match: re.Match):
        private, numbers, final = match[1], (match[2] or b"").decode(), (match[3] or b"").decode()
        if final in ("h", "l") and private:
            for number in numbers.split(";"):
                self.modes[number] = final == "h"
        elif final == "H":
            row, column = ([int(number) for number in numbers.split(";")] if numbers else [1, 1])
            self.row, self.column = min(row, self.rows) - 1, column - 1
        elif final == "K":
            for column in range(self.column, self.columns):
                self.cells[self.row][column] = " "
        elif final == "J":
            self.cells = [[" "] * self.columns for _ in range(self.rows)]
        else:
            assert final == "m" or match[4], f"unknown sequence {match[0]!r}"
