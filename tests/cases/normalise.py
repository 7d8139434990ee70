"""Replaces in a program's output what differs from run to run.

Only what this run itself produced is replaced: a time within the run, a process id handed out during it, the
scratch folder, the version. Times and ids that come from the input stay, so a case still checks them.
"""

import re
from datetime import datetime, timezone

ISO_TIME = re.compile(r"\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d+)?(?:Z|[+-]00:?00)?\b")
FOLDER_TIME = re.compile(r"\b(\d{4})-?(\d\d)-?(\d\d)[-T_](\d\d)-?(\d\d)-?(\d\d)\b")
PID = re.compile(r"\b(pid[ =:]*)(\d+)\b", re.IGNORECASE)
SLACK_S = 2  # clocks of file systems and processes are not read at the same moment


class Normaliser:
    def __init__(self, scratch, version, time_span, pid_span):
        self.scratch = str(scratch)
        self.version = re.compile(rf"(?<![\w.]){re.escape(version)}(?![\w]|\.\d)")
        self.time_span = time_span
        self.pid_span = pid_span

    def text(self, text):
        text = text.replace(f"{self.scratch}/work", "<WORK>").replace(self.scratch, "<SCRATCH>")
        text = self.version.sub("<VERSION>", text)
        text = ISO_TIME.sub(self._time, text)
        text = FOLDER_TIME.sub(self._time, text)
        return PID.sub(lambda match: f"{match[1]}<PID>" if self._is_our_pid(int(match[2])) else match[0], text)

    def json(self, value, key=""):
        if isinstance(value, dict):
            return {name: self.json(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.json(item, key) for item in value]
        if isinstance(value, str):
            return self.text(value)
        if key.split("_")[-1] == "pid" and isinstance(value, int) and self._is_our_pid(value):
            return "<PID>"
        return value

    def _time(self, match):
        digits = re.sub(r"\D", "", "".join(match.groups()))
        try:
            moment = datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc).timestamp()
        except ValueError:
            return match[0]
        start, end = self.time_span
        return "<TIME>" if start - SLACK_S <= moment <= end + SLACK_S else match[0]

    def _is_our_pid(self, pid):
        first, last = self.pid_span
        return first <= pid <= last if first <= last else pid >= first or pid <= last
