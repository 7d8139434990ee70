"""py-spy must name the function that a live child is in."""

import subprocess
import sys
from pathlib import Path

program = """
import ctypes

def inside_the_step():
    ctypes.CDLL(None).prctl(0x59616D61, -1)  # PR_SET_PTRACER: any process of this user may read it
    print("ready", flush=True)
    input()

inside_the_step()
"""
child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
py_spy = Path(sys.executable).parent / "py-spy"
stacks = subprocess.run([py_spy, "dump", "--pid", str(child.pid)], capture_output=True, text=True)
child.communicate(b"\n")
print(stacks.stdout, stacks.stderr)
assert "inside_the_step" in stacks.stdout
