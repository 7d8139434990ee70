// The process of a rank on this host: whether it is there, and whether it runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sys/types.h>

#include "process/descriptor.h"

namespace lockstep::watch {

struct ProcessSample {
  char state = '?';  // as /proc tells it: R runs, S and D sleep, T and t are stopped, Z has ended
  std::uint64_t cpu_ticks = 0;
};

class RankProcess {
 public:
  RankProcess() = default;

  // Follows the process only if it has `record_file` mapped: the number may be another's in another container
  // or on another host, and then nothing is known of it.
  RankProcess(pid_t pid, const std::filesystem::path& record_file);

  int fd() const { return descriptor_.get(); }  // readable once it has ended
  bool is_known() const { return descriptor_.is_open(); }
  bool has_ended() const;
  std::optional<ProcessSample> sample() const;

 private:
  pid_t pid_ = 0;
  process::Descriptor descriptor_;
};

// From the text of /proc/PID/stat.
std::optional<ProcessSample> parse_process_stat(std::string_view text);

}  // namespace lockstep::watch
