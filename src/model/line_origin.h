// Whose line it is, and when it was written: what launchers, loggers and frameworks put before the text.
//
//     [rank3]: text                          PyTorch: the global rank
//     [default3]:text                        torchrun --tee: role and local rank
//     [1,3]<stderr>:text  [3]<stdout>:text   mpirun --tag-output, horovodrun: (job and) rank
//     3: text                                srun --label: the task, which is the rank
//     srun: error: node7: task 3: text       srun itself: host and rank
//     [worker-2]: text                       TensorFlow's runner: the task
//     [pod/job-worker-4/main] text           kubectl logs --prefix: the pod
//     worker-4  | text                       docker compose: the container
//     (Worker pid=7, ip=10.0.0.9) text       Ray: the host
//     node1:77:140 [3] NCCL INFO text        NCCL: the host
//     [node1:77] text                        Open MPI: the host
//     node-1: text                           pdsh: the host
//     [rank=1] [rank: 1] [RANK 1] [rank1]    trainers, anywhere among the prefixes
//
// The tags of PyTorch, torchrun, mpirun, horovodrun and srun's own errors are unmistakable and count behind
// whatever a logger, a scheduler or a collector of logs put before them.
//
// "[Rank 1]" in the messages of ProcessGroupNCCL is a rank in some process group and is not believed.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::model {

struct LineOrigin {
  std::optional<int> rank = std::nullopt;
  std::optional<int> local_rank = std::nullopt;
  std::string host = {};  // empty: not said

  auto operator<=>(const LineOrigin&) const = default;
};

struct OwnedLine {
  LineOrigin origin;
  std::optional<std::int64_t> time_ns;  // of the log's own clock, see take_time
  std::string_view text;                // without what was put before it
};

OwnedLine split_origin(std::string_view line);

// Takes the time that a line begins with off the text, with the brackets, commas and blanks around it:
//     2024-11-02 10:00:01,123   2024-11-02T10:00:01.123456789Z   [2024-11-02 10:00:01.5]   2021/01/10
//     08:10:00 I1102 10:00:01.123456     Nov  2 10:00:01     Sat Nov  2 10:00:01 2024     10:00:01
// In nanoseconds since 1970 of the log's own clock; what names no year counts from 1970, what names no day
// from midnight. Times of one log are comparable, those of different styles are not.
std::optional<std::int64_t> take_time(std::string_view& text);

}  // namespace lockstep::model
