"""Where every process of a job is right now, one text file each.

py-spy reads Python frames from outside, without the process's help; gdb does the same for programs
that are not Python, where it is installed. The kernel's view (/proc) is always there.
"""

import functools
import pathlib
import shutil
import subprocess

from harness import process_tree
from harness.errors import LabError
from harness.registry import python_of

_LIMIT_S = 15


@functools.cache
def py_spy() -> str | None:
    try:
        beside_python = pathlib.Path(python_of("stacks")).parent / "py-spy"
        if beside_python.exists():
            return str(beside_python)
    except LabError:
        pass
    return shutil.which("py-spy")


def collect(processes: dict[str, int], folder: pathlib.Path) -> list[str]:
    """Writes folder/NAME.txt for every process that lives; the names written."""
    folder.mkdir(exist_ok=True)
    dumps = {name: _start_dump(pid) for name, pid in processes.items()
             if process_tree.state_of(pid) not in ("", "Z")}
    for name, dump in dumps.items():
        pid = processes[name]
        text = _heading(pid) + _finish_dump(dump, pid) + _kernel_view(pid)
        (folder / f"{name}.txt").write_text(text, errors="replace")
    return list(dumps)


def _start_dump(pid: int) -> subprocess.Popen | None:
    """A stopped process cannot be paused by a tracer again; it holds still anyway."""
    if not py_spy():
        return None
    still = ["--nonblocking"] if process_tree.state_of(pid) in ("T", "t") else []
    return subprocess.Popen([py_spy(), "dump", "--pid", str(pid), *still], text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def _finish_dump(dump: subprocess.Popen | None, pid: int) -> str:
    if dump is None:
        return "Python frames: py-spy is not there; make lab-deps brings it\n" + _native_frames(pid)
    try:
        frames, complaint = dump.communicate(timeout=_LIMIT_S)
    except subprocess.TimeoutExpired:
        dump.kill()
        frames, complaint = dump.communicate()
    if frames.strip() and "Thread" in frames:
        return frames + "\n"
    reason = complaint.strip().splitlines()
    return f"no Python frames: {reason[0] if reason else 'py-spy said nothing'}\n" + _native_frames(pid)


def _native_frames(pid: int) -> str:
    gdb = shutil.which("gdb")
    if not gdb:
        return "native frames: gdb is not installed\n"
    try:
        done = subprocess.run(
            [gdb, "-p", str(pid), "-batch", "-nx", "-ex", "thread apply all backtrace"],
            capture_output=True, text=True, timeout=_LIMIT_S, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"native frames: gdb took more than {_LIMIT_S} s\n"
    start = done.stdout.find("\nThread ")
    return done.stdout[start + 1:] + "\n" if start >= 0 else "native frames: gdb saw no thread\n"


def _heading(pid: int) -> str:
    command = _read(f"/proc/{pid}/cmdline").replace("\0", " ").strip()
    return f"process {pid}: {command}\n\n"


def _kernel_view(pid: int) -> str:
    lines = ["kernel view (thread, name, state, waits in, system call)"]
    for task in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*"), key=lambda path: int(path.name)):
        state = [line.split(":", 1)[1].strip() for line in _read(task / "status").splitlines()
                 if line.startswith("State:")]
        lines.append(f"  {task.name} {_read(task / 'comm').strip()} {''.join(state)} "
                     f"{_read(task / 'wchan') or '-'} {_read(task / 'syscall').strip() or '-'}")
    stack = _read(f"/proc/{pid}/stack")
    return "\n".join(lines) + "\n" + (f"kernel stack of the main thread\n{stack}" if stack else "")


def _read(path) -> str:
    try:
        return pathlib.Path(path).read_text(errors="replace")
    except OSError:
        return ""
