"""When this process began. A record begins only when its framework makes a rank of it, after seconds of imports."""

import os
import time

STARTED = 19  # of the fields behind the program's name in /proc/self/stat, in ticks since the machine began


def began_ns():
    """By the wall clock."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    began_s = int(fields[STARTED]) / os.sysconf("SC_CLK_TCK")
    return time.time_ns() - int((time.clock_gettime(time.CLOCK_BOOTTIME) - began_s) * 1e9)
