"""Follows the output of every rank as it is written and knows how far each rank is."""

import os
import pathlib
import re
import time

from harness.folder_watch import FolderWatch
from harness.launchers import LogFolder, Plan
from harness.output import LineCutter, RankProgress, read_line

_RANK_FILE = re.compile(r"rank_(\d+)(\.restart\d+)?\.(out|err)$")


class RankOutput:
    """on_line(name, stream, text) hears every line: name is rank_N or launcher, stream out or err."""

    def __init__(self, folder: pathlib.Path, plan: Plan, on_line=None):
        self._folder = folder
        self._log_folders = plan.log_folders
        self._on_line = on_line or _unheard
        self._cutters: dict[str, LineCutter] = {}
        self._offsets: dict[str, int] = {}
        self._linked: set[str] = set()
        self._watch = FolderWatch(folder)
        self.progress: dict[int, RankProgress] = {}
        self.heard_at = time.monotonic()

    @property
    def fd(self) -> int:
        return self._watch.fd

    def read(self):
        self._watch.drain()
        for log_folder in self._log_folders:
            self._link_rank_files(log_folder)
        for name in sorted(os.listdir(self._folder)):
            if name.endswith((".out", ".err")) and name != "keeper.err":
                self._follow(name)

    def finish(self):
        """Reads what is left after the last process has ended, and tidies the launchers' folders."""
        self._watch.add_folders()
        self.read()
        for name, cutter in self._cutters.items():
            self._hear(name, cutter.finish())
        for source in self._linked:
            os.unlink(source)
        for log_folder in self._log_folders:
            for path, _, _ in os.walk(log_folder.path, topdown=False):
                try:
                    os.rmdir(path)
                except OSError:
                    pass

    def show_no_more(self):
        self._on_line = _unheard

    def close(self):
        self._watch.close()

    def _link_rank_files(self, log_folder: LogFolder):
        for path, _, files in os.walk(log_folder.path):
            for file in files:
                source = os.path.join(path, file)
                match = log_folder.pattern.search(source)
                if match and source not in self._linked:
                    os.link(source, self._folder / _rank_file_name(match, log_folder.first_rank))
                    self._linked.add(source)

    def _follow(self, name: str):
        with open(self._folder / name, "rb") as file:
            file.seek(self._offsets.get(name, 0))
            data = file.read()
        if data:
            self._offsets[name] = self._offsets.get(name, 0) + len(data)
            self._hear(name, self._cutters.setdefault(name, LineCutter()).feed(data))

    def _hear(self, name: str, lines: list[str]):
        stem, _, stream = name.rpartition(".")
        if lines:
            self.heard_at = time.monotonic()
        for line in lines:
            if stream == "out" and _RANK_FILE.match(name):
                read_line(line, self.progress)
            self._on_line(stem, stream, line)


def _unheard(name: str, stream: str, text: str):
    pass


def _rank_file_name(match: re.Match, first_rank: int) -> str:
    fields = match.groupdict()
    attempt = int(fields.get("attempt") or 0)
    again = f".restart{attempt}" if attempt else ""
    stream = "out" if fields["stream"] == "stdout" else "err"
    return f"rank_{first_rank + int(fields['rank'])}{again}.{stream}"
