"""Splits command lines by a launcher's own parser. Run by the Python of the launcher's environment:

    real_parser.py MODULE < COMMAND_LINES

One line each, words parted by tabs, without the launcher's name. Prints one line of JSON each: the flags with their names and
the words they took, and the program; {"error": ...} where the parser refuses.
"""

import argparse
import contextlib
import io
import json
import sys

FLAGS = []


def record(parser, action, arg_strings):
    if action.option_strings:
        FLAGS.append({"names": action.option_strings, "values": list(arg_strings)})
    return GET_VALUES(parser, action, arg_strings)


GET_VALUES = argparse.ArgumentParser._get_values
argparse.ArgumentParser._get_values = record


def parse_torchrun(words):
    from torch.distributed.run import get_args_parser

    return program_of(get_args_parser().parse_args(words), "training_script", "training_script_args")


def parse_torch_launch(words):
    from torch.distributed.launch import parse_args

    return program_of(parse_args(words), "training_script", "training_script_args")


def parse_accelerate(words):
    from accelerate.commands.launch import launch_command_parser

    return program_of(launch_command_parser().parse_args(words), "training_script", "training_script_args")


def parse_deepspeed(words):
    from deepspeed.launcher.runner import parse_args

    return program_of(parse_args(words), "user_script", "user_args")


def parse_horovodrun(words):
    from horovod.runner.launch import parse_args

    sys.argv = ["horovodrun", *words]
    return list(parse_args().command)


def program_of(namespace, script, arguments):
    return [getattr(namespace, script), *getattr(namespace, arguments)]


PARSERS = {"torchrun": parse_torchrun, "torch.distributed.launch": parse_torch_launch, "accelerate": parse_accelerate,
           "deepspeed": parse_deepspeed, "horovodrun": parse_horovodrun}


def split(parse, line):
    FLAGS.clear()
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            program = parse(line.split("\t"))
    except SystemExit:
        return {"error": said.getvalue().splitlines()[-1:]}
    return {"flags": list(FLAGS), "program": program}


if __name__ == "__main__":
    parser = PARSERS[sys.argv[1]]
    for command_line in sys.stdin.read().splitlines():
        print(json.dumps(split(parser, command_line)))
