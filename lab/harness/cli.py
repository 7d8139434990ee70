"""The command lab/run: what was typed becomes a RunSpec, and a run becomes text and a status."""

import argparse
import os
import pathlib
import re
import signal
import sys

from harness import fault_spec, registry
from harness.errors import LabError, RunTimeout
from harness.job_run import JobRun, RunResult
from harness.rank_control import sweep_stale_groups
from harness.run_spec import RunSpec

TIMED_OUT, COULD_NOT = 124, 2
# What a launcher copies from a rank's output to its own, marked with the rank: shown once is enough.
COPY = re.compile(r"\[(default)?\d+(,\d+)?\](<std(out|err)>)?:")


class Ended(BaseException):
    """A signal asked the harness to end."""

    def __init__(self, number: int):
        self.number = number


def main(arguments: list[str]) -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _raise_ended)
    parser = make_parser()
    try:
        args = parser.parse_args(arguments)
        jobs = registry.load_registry()
        if args.list_pairs:
            return _list_pairs(jobs)
        if args.list:
            return _list(jobs)
        if not args.job:
            parser.error("name a job; lab/run --list names them all")
        return _run(_spec(args, jobs), args)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return COULD_NOT
    except Ended as ended:
        print(f"lab: ended by {signal.Signals(ended.number).name}", file=sys.stderr)
        return 128 + ended.number
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def make_parser() -> argparse.ArgumentParser:
    forms = "\n".join(f"  {fault_spec.form_of(kind):<30} {text}"
                      for kind, (_, _, text) in fault_spec.KINDS.items())
    parser = argparse.ArgumentParser(
        prog="lab/run", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Run a real distributed training job here, and hurt it on request.",
        epilog=f"faults (at a step of the rank, or once it is ready):\n{forms}\n"
               "cut and fill_shm need --hosts\n\n"
               "exit status: the job's own; 124 on timeout; 2 when the run could not be made")
    parser.add_argument("job", nargs="?", metavar="JOB", help="a job of lab/jobs/jobs.toml")
    parser.add_argument("--list", action="store_true", help="list the jobs and their launchers")
    parser.add_argument("--list-pairs", action="store_true",
                        help="for programs: one job and launcher a line, those that `make test` runs")
    parser.add_argument("--launcher", metavar="L", default="", help="default: the job's first")
    parser.add_argument("--ranks", type=_count, metavar="N", default=0, help="default: the job's own")
    parser.add_argument("--hosts", type=_count, metavar="N", default=0,
                        help="spread the ranks over N hosts made of namespaces (root)")
    parser.add_argument("--host", action="append", metavar="I:K=V", default=[],
                        help="make host I unlike the others: mtu, port_mtu, shm, name, hosts_file, "
                             "rules (an nft file)")
    parser.add_argument("--steps", type=_count, metavar="N")
    parser.add_argument("--seed", type=int, metavar="S")
    parser.add_argument("--env", action="append", metavar="K=V", default=[])
    parser.add_argument("--rank-env", action="append", metavar="R:K=V", default=[],
                        help="a variable for one rank only")
    parser.add_argument("--rank-file", action="append", metavar="R:PATH=FILE", default=[],
                        help="one rank sees FILE in the place of PATH (root)")
    parser.add_argument("--fault", action="append", metavar="F", default=[])
    parser.add_argument("--timeout", type=_seconds, metavar="S", default=120.0,
                        help="seconds until stacks are taken and the run fails (default 120)")
    parser.add_argument("--stall", type=_seconds, metavar="S",
                        help="the same as soon as every rank is ready and none has said anything "
                             "for S seconds")
    parser.add_argument("--record", action="store_true", help="run it under `lockstep run`, into the folder's recording/")
    parser.add_argument("--record-flag", action="append", metavar="F", default=[], help="a flag for `lockstep run`")
    parser.add_argument("-o", metavar="DIR", dest="folder", help="keep the run's folder here")
    parser.add_argument("-q", "--quiet", action="store_true", help="do not show the job's output")
    return parser


def _run(spec: RunSpec, args) -> int:
    sweep_stale_groups()
    run = JobRun(spec, args.folder, None if args.quiet else _show_line)
    try:
        with run:
            result = run.wait()
            run.keep = run.keep or result.status != 0
    except RunTimeout:
        return TIMED_OUT
    _say_result(run, result)
    return result.status


def _say_result(run: JobRun, result: RunResult):
    for struck in result.faults:
        after = struck["after_step"]
        when = "before its first step" if after is None else f"after step {after}"
        print(f"lab: {struck['fault']} struck {when}: {struck['effect']}", file=sys.stderr)
    for fault in run.faults.waiting():
        print(f"lab: {fault} never struck: the job ended before", file=sys.stderr)
    name = f"{run.spec.job.name} under {run.spec.launcher}"
    print(f"lab: {name}: status {result.status} after {result.duration_s:.1f} s", file=sys.stderr)
    if result.status != 0:
        print(run.describe_kept(), file=sys.stderr)
    elif run.keep:
        print(f"lab: the run's folder is {run.folder}", file=sys.stderr)


def _show_line(name: str, stream: str, text: str):
    """A job's line is data: on a terminal its control characters are not obeyed."""
    if name.startswith("launcher") and COPY.match(text):
        return
    if sys.stdout.isatty():
        text = "".join(char if char.isprintable() or char == "\t" else "?" for char in text)
    mark = "" if stream == "out" else "!"
    print(f"{name}{mark}| {text}", flush=True)


def _list(jobs: dict[str, registry.Job]) -> int:
    for job in jobs.values():
        print(f"{job.name:<24} {job.ranks} ranks  {job.env:<20} {', '.join(job.launchers)}")
    return 0


def _list_pairs(jobs: dict[str, registry.Job]) -> int:
    for job in jobs.values():
        for launcher in job.tested:
            print(job.name, launcher)
    return 0


def _spec(args, jobs: dict[str, registry.Job]) -> RunSpec:
    return RunSpec(
        job=registry.find_job(jobs, args.job), launcher=args.launcher, ranks=args.ranks,
        hosts=args.hosts, steps=args.steps, seed=args.seed, host_options=args.host,
        environ=dict(_pair(text, "--env") for text in args.env),
        rank_environ=_by_rank(args.rank_env, "--rank-env"),
        rank_files=_by_rank(args.rank_file, "--rank-file"),
        faults=[fault_spec.parse_fault(text) for text in args.fault], timeout_s=args.timeout,
        stall_s=args.stall, record=args.record, record_flags=args.record_flag)


def _by_rank(texts: list[str], flag: str) -> dict[int, dict[str, str]]:
    changes: dict[int, dict[str, str]] = {}
    for text in texts:
        rank, colon, pair = text.partition(":")
        if not colon or not rank.isdigit():
            raise LabError(f"{flag} {text!r} is not readable; write RANK:NAME=VALUE")
        key, value = _pair(pair, flag)
        if flag == "--rank-file":
            _check_rank_file(key, value)
            value = str(pathlib.Path(value).absolute())
        changes.setdefault(int(rank), {})[key] = value
    return changes


def _check_rank_file(target: str, replacement: str):
    if os.geteuid() != 0:
        raise LabError("--rank-file binds a file in a mount namespace of the rank, which needs root")
    for path in (target, replacement):
        if not os.path.exists(path):
            raise LabError(f"--rank-file: there is no file {path}")


def _pair(text: str, flag: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise LabError(f"{flag} {text!r} is not readable; write NAME=VALUE")
    return key, value


def _count(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _raise_ended(number: int, frame):
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)
    raise Ended(number)
