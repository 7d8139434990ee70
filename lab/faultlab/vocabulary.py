"""The words a fault file may use."""

# The label of a table [on.LABEL]: the framework it counts for.
FRAMEWORKS = {"torch": "PyTorch", "fsdp": "PyTorch", "pipeline": "PyTorch", "tf": "TensorFlow", "keras": "Keras",
              "horovod": "Horovod", "horovod_tf": "Horovod", "horovod_keras": "Horovod", "mpi": "MPI"}

LEAVES = ("PKG-BUILD", "PKG-IMPORT", "SETUP-FAIL", "SETUP-HANG", "SETUP-PROTO", "PREP-MODEL", "PREP-DATA", "PREP-COMM",
          "PREP-HANG", "PREP-DEVICE", "PREP-ITER", "PREP-SHARD", "PREP-OTHER", "RUN-COMM", "RUN-MEM", "RUN-DEVICE",
          "RUN-GRAPH", "RUN-TENSOR", "RUN-CKPT", "RUN-SEGV", "RUN-ATTR", "RUN-PATH", "RUN-NOTIMPL", "RUN-OTHER",
          "PERF-HANG", "PERF-PARALLEL", "PERF-SLOW", "PERF-RESULT", "PERF-CONVERGE", "PERF-OTHER")

# Leaves that only distributed training has; the study's raters themselves disagree within a merged pair.
DISTRIBUTED_LEAVES = ("SETUP-FAIL", "SETUP-PROTO", "PREP-COMM", "PREP-SHARD", "RUN-COMM")
MERGED = ({"SETUP-HANG", "PREP-HANG", "PERF-HANG"}, {"PREP-COMM", "RUN-COMM"}, {"PREP-DEVICE", "RUN-DEVICE"})

# What Lockstep is shown of a run: what it printed, or what `lockstep run` recorded of it.
WAYS = ("logs", "recorded")

SCOPES = ("distributed", "ordinary")

PATTERNS = ("dependency_version", "framework_version", "missing_dependency", "dependency_path", "build_configuration",
            "hardware", "communication_configuration", "network_setting", "device_consistency", "device_assignment",
            "distributed_api_usage", "batch_or_partition", "behavior_logic", "save_single_device_model",
            "model_construction", "memory_or_core_setting", "learning_rate", "kill_stray_processes", "data_type",
            "scope_assignment", "other")
