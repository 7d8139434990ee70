// One line that NCCL printed, and the two kinds of message the tool uses.
//
//   [prefix of a launcher]host:436:436 [0] NCCL INFO message
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/collective.h"

namespace lockstep::readers {

struct NcclLogLine {
  std::string_view host;
  std::int64_t pid = 0;
  std::uint32_t thread = 0;
  int device = 0;
  std::string_view message;
};

// None for lines of other programs and of other levels.
std::optional<NcclLogLine> nccl_info_line(std::string_view line);

// "ncclCommInitRankConfig comm 0x10 rank 0 nranks 3 cudaDev 0 ... commId 0xda - Init START"
struct NcclInitMessage {
  bool is_complete = false;
  std::uint64_t pointer = 0;  // of the communicator, in this process
  int rank = 0;
  int ranks = 0;
  std::optional<int> device;
  std::string_view id;  // the same in all processes; a split has none until it is complete
  // Where the communicator is split from another:
  std::optional<std::uint64_t> parent;
  std::string_view split;  // "splitCount 1 color 0", the same in all processes of the new one
};

std::optional<NcclInitMessage> nccl_init_message(std::string_view message);

// "AllReduce: opCount 2a sendbuff ... comm 0x10 [nranks=3] stream 0x20"
struct NcclOperationMessage {
  model::Operation operation = model::Operation::kUnknown;
  std::uint64_t launch = 0;  // operations of one group have the same
  std::int64_t count = 0;
  std::uint64_t data_type = 0;
  std::uint64_t reduce_op = 0;
  int root = 0;
  std::uint64_t pointer = 0;
  int ranks = 0;  // 0: not said
};

std::optional<NcclOperationMessage> nccl_operation_message(std::string_view message);

// Whether the line has one of the two.
bool tells_of_nccl_events(std::string_view line);

}  // namespace lockstep::readers
