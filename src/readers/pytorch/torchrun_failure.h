// One item of torchrun's summary, filled line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::readers {

struct TorchrunFailure {
  std::optional<int> rank;
  std::optional<int> local_rank;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> pid;
  std::string host;
  std::string error_file;
  std::string traceback;  // without its indentation
  int attempt = 0;
  std::uint32_t position = 0;
};

// `... failed (exitcode: -11) local_rank: 1 (pid: 10621) of binary: ...`
std::optional<TorchrunFailure> parse_failed_line(std::string_view line);

class TorchrunItem {
 public:
  explicit TorchrunItem(std::uint32_t position) { failure_.position = position; }

  void take(std::string_view line);
  TorchrunFailure finish() && { return std::move(failure_); }

 private:
  void take_field(std::string_view key, std::string_view value);

  TorchrunFailure failure_;
  bool is_in_traceback_ = false;
};

// "RuntimeError: batch 3 is broken" at the end of a traceback, with all of its lines; a text that is no
// traceback is the message itself. Empty where torchrun only says how one could get a traceback.
std::string message_of(std::string_view traceback);

}  // namespace lockstep::readers
