"""A program in a terminal of its own: keys go in, a screen comes out, and every wait has an end."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

from terminal_screen import TerminalScreen

PATIENCE_S = 120


class PtySession:
    def __init__(self, command: list, columns: int = 80, rows: int = 24, **environ: str):
        self.screen = TerminalScreen(columns, rows)
        self.sent = b""  # all that the program wrote
        self.master, self.slave = pty.openpty()
        self._set_size(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        self.status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(self.slave, fd)
            os.closerange(3, 64)
            os.execvpe(str(command[0]), [str(word) for word in command], dict(os.environ, TERM="xterm") | environ)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.status is None:
            os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)
        os.close(self.slave)

    def _set_size(self, columns: int, rows: int):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int):
        self.screen.resize(columns, rows)
        self._set_size(columns, rows)  # the kernel sends SIGWINCH

    def type(self, keys: str | bytes):
        os.write(self.master, keys.encode() if isinstance(keys, str) else keys)

    def read(self, patience_s: float) -> bool:
        if not select.select([self.master], [], [], patience_s)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.sent += data
        self.screen.feed(data)
        return bool(data)

    def wait_for(self, condition, what: str = "a screen"):
        """Reads until `condition(text)` holds; a text stands for its being on the screen."""
        holds = condition if callable(condition) else lambda text: condition in text
        end = time.monotonic() + PATIENCE_S
        while not holds(self.screen.text):
            assert time.monotonic() < end, f"{condition if isinstance(condition, str) else what} did not come:\n{self.screen.text}"
            self.read(0.2)

    def wait(self) -> int:
        """The status of the program, as a shell would say it; what it still wrote is read."""
        end = time.monotonic() + PATIENCE_S
        while self.status is None:
            assert time.monotonic() < end, f"it did not end:\n{self.screen.text}"
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        while self.read(0):
            pass
        return self.status

    def is_as_before(self) -> bool:
        """Settings, screen, cursor and wrapping are what they were before the program began."""
        is_restored = termios.tcgetattr(self.slave) == self.before
        return is_restored and not self.screen.is_alternate and self.screen.has_cursor and self.screen.wraps
