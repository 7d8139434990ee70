"""The parsers of accelerate and of DeepSpeed must be there and take a command line."""

from accelerate.commands.launch import launch_command_parser
from deepspeed.launcher.runner import parse_args

assert launch_command_parser().parse_args(["--num_processes", "2", "train.py"]).num_processes == 2
assert parse_args(["--num_gpus", "2", "train.py"]).num_gpus == 2
