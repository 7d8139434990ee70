"""Which ranks a text blames, as a person who reads it would take it: launchers' summaries and frameworks' own messages."""

import re

NUMBERS = r"[\[{]?(?P<ranks>\d+(, ?\d+)*)[\]}]?"

OWN_WORDS = (
    re.compile(r"Root Cause \(first observed failure\):\n(.*\n){0,4}?.*rank +: (?P<ranks>\d+)"),       # torchrun
    re.compile(r"noticed that process rank (?P<ranks>\d+) with PID"),                                  # mpirun
    re.compile(r"Process name: \[\[\d+,\d+\],(?P<ranks>\d+)\]"),                                       # mpirun
    re.compile(r"non-zero status[^\n]*\n+Process name: (?P<ranks>\d+)"),                               # horovodrun
    re.compile(r"\[missing ranks: ?" + NUMBERS, re.IGNORECASE),                                        # Horovod
    re.compile(r"rror[^\n]*/job:worker/replica:0/task:(?P<ranks>\d+)"),                                # TensorFlow
)
STALL_INSPECTOR = (re.compile(r"\[missing ranks: ?" + NUMBERS, re.IGNORECASE), re.compile(r"^ *(?P<ranks>\d+): \[\S", re.MULTILINE))
DEBUG_DETAIL = (
    re.compile(r"Ranks? " + NUMBERS + r" failed to pass monitoredBarrier"),
    re.compile(r"Detected mismatch between collectives on ranks\. Rank (?P<ranks>\d+) is running"),
    re.compile(r"Rank " + NUMBERS + r" (did not|failed to) (report|call)"),
)
FLIGHT_ANALYZER = (re.compile(r"missing ranks: " + NUMBERS), re.compile(r"Culprit rank (?P<ranks>\d+)"),
                   re.compile(r"missed FR dumps from ranks \(" + NUMBERS))


def ranks_blamed(text: str, words: tuple[re.Pattern, ...]) -> list[int]:
    """Those of the first message, in the order of the words; none: nobody is blamed."""
    for pattern in words:
        if match := pattern.search(text):
            return sorted({int(number) for number in match["ranks"].replace(" ", "").split(",")})
    return []
