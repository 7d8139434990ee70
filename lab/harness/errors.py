"""The two ways a run can go wrong that are not the job's own doing."""


class LabError(Exception):
    """The run could not be made; the message says what, where and what to do next."""


class RunTimeout(Exception):
    """The job did not get where it should have in time. Its stacks are in the run folder."""
