// What launchers, schedulers, loggers and collectors of logs put before a line.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep::logs::testing {

struct PrefixFormat {
  std::string_view text;
  std::optional<int> rank = std::nullopt;  // that it names
  bool is_error = false;                   // its level or its speaker says that the line is one
};

inline constexpr PrefixFormat kPrefixes[] = {
    {"[default0]:", 0},  // torchrun --tee
    {"[rank3]: ", 3},    // PyTorch
    {"[rank12]:", 12},
    {"[1,3]<stderr>:", 3},  // mpirun --tag-output
    {"[3]<stdout>:", 3},    // horovodrun
    {"3: ", 3},             // srun --label
    {" 7: ", 7},
    {"[worker-2]: ", 2},                         // TensorFlow's runner
    {"W1118 09:12:02.111222333 "},               // glog
    {"W1118 09:12:02.111222333 4242 "},          // glog with the thread
    {"I1118 09:12:02.111222 140012345678912 "},  // absl
    {"[W1118 09:12:02.111222333 "},              // c10
    {"2026-11-18 09:12:02,345 "},                // Python's logging
    {"2026-11-18 09:12:02,345 - trainer - INFO - "},
    {"INFO:trainer:"},
    {"2026-11-18 09:12:02.345 | ERROR    | __main__:main:44 - ", {}, true},  // loguru
    {"[2026-11-18 03:00:07] "},
    {"[2026-11-18 03:00:07,123] [INFO] [engine.py:211:log] "},  // DeepSpeed
    {"[2026-11-18 03:00:07.123: W] "},
    {"2026-11-18T09:12:02Z "},
    {"2026-11-18T09:12:02.345678901Z "},  // kubectl logs --timestamps, docker logs -t
    {"2026-11-18T09:12:02.345+01:00 "},
    {"2026-11-18T09:12:02+0000 "},
    {"2026-11-18T09:12:02.345678901Z stderr F "},  // containerd
    {"2026/11/18 09:12:02 "},                      // Go
    {"18/Nov/2026:09:12:02 +0000 "},
    {"Nov 18 09:12:02 node-a python[4242]: "},  // syslog, journald
    {"Nov 18 09:12:02 node-a systemd[1]: "},
    {"<13>1 2026-11-18T09:12:02.345Z node-a train 4242 - - "},  // syslog, RFC 5424
    {"Wed Nov 18 09:12:02 2026 "},
    {"[Wed Nov 18 09:12:02 2026] "},
    {"09:12:02.345 "},
    {"1763457122.345 "},  // seconds since 1970
    {"[1763457122345] "},
    {"(RayTrainWorker pid=4242, ip=10.0.0.9) "},  // Ray
    {"(RayTrainWorker pid=4242) "},
    {"[pod/job-worker-4/main] ", 4},  // kubectl logs --prefix
    {"worker-4  | "},                 // docker compose
    {"node-1: "},                     // pdsh
    {"[node1:4242] "},                // Open MPI
    {"[140012345678912] "},           // thread ids
    {"[Thread-7 (worker)] "},
    {"<0x7f1c40001230> "},
    {"[pid 29501] "},
    {"gpu-12 4242 29502 "},
    {"\x1b[36m[2026-11-18 09:12:02]\x1b[0m "},          // colours
    {"W1118 09:12:02.111222   4242 socket.cpp:464] "},  // glog with thread and place
    {"[2026-11-18 03:00:07,123][__main__][INFO] - "},   // Hydra
    {"2026-11-18 09:12:02,345 INFO 29511 --- "},
    {"2026-11-18 09:12:02: I tensorflow/core/util.cc:1816] "},
    {"2026/11/18 09:12:02.123456 main.go:45: "},
    {"[18/Nov/2026:09:12:02 +0100] "},
    {"<165>1 2026-11-18T09:12:02.003Z gpu-12 train 8710 ID47 - "},
    {"2026-11-18T09:12:02+0100 gpu-12 train[4242]: "},
    {"[12345.678901] ", {}, true},                   // dmesg: the kernel speaks
    {"@4000000063a1b2c31a2b3c4d "},                  // multilog
    {"train-abcde pytorch "},                        // stern
    {"26/11/18 09:12:02 INFO TaskSetManager: "},     // Spark
    {"INFO 11-18 09:12:02 [worker.py:123] "},        // vLLM
    {"\x1b[36m(RayTrainWorker pid=29501)\x1b[0m "},  // Ray, dimmed
};

}  // namespace lockstep::logs::testing
