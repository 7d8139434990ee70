"""Wakes the harness when a file of the run folder grows or appears (inotify)."""

import ctypes
import os
import pathlib
import struct

from harness.errors import LabError

_MODIFY, _MOVED_TO, _CREATE, _CLOSE_WRITE = 0x2, 0x80, 0x100, 0x8
_HEADER = struct.Struct("iIII")
_libc = ctypes.CDLL(None, use_errno=True)


class FolderWatch:
    """Watches a folder and every folder that appears below it. The owner rescans on each wake, so
    a lost or doubled event costs nothing; `drain` says only that something changed."""

    def __init__(self, root: pathlib.Path):
        self.fd = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise LabError(f"inotify: {os.strerror(ctypes.get_errno())}; see "
                           "/proc/sys/fs/inotify/max_user_instances")
        self._root = root
        self._watched: set[str] = set()
        self.add_folders()

    def add_folders(self):
        """A new folder is watched first and looked into after, so nothing in it is missed."""
        waiting = [str(self._root)]
        while waiting:
            folder = waiting.pop()
            if folder not in self._watched:
                mask = _MODIFY | _MOVED_TO | _CREATE | _CLOSE_WRITE
                if _libc.inotify_add_watch(self.fd, os.fsencode(folder), mask) < 0:
                    continue
                self._watched.add(folder)
            try:
                waiting += [entry.path for entry in os.scandir(folder)
                            if entry.is_dir(follow_symlinks=False)]
            except FileNotFoundError:
                continue

    def drain(self):
        folders_appeared = False
        while True:
            try:
                data = os.read(self.fd, 65536)
            except BlockingIOError:
                break
            while data:
                _, mask, _, length = _HEADER.unpack_from(data)
                folders_appeared = folders_appeared or bool(mask & 0x40000000)
                data = data[_HEADER.size + length:]
        if folders_appeared:
            self.add_folders()

    def close(self):
        os.close(self.fd)
