// The process of a rank: whether it is there, and whether it runs. On this host it is asked itself, on
// another one the watcher there is believed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/process/descriptor.h"

namespace lockstep::watch {

// The process of a rank on another host, as the watcher there last saw it: a line in a hidden file beside the
// copy of its record file.
struct RemoteProcess {
  char state = kUnseen;  // as /proc tells it
  std::uint64_t cpu_ticks = 0;
  std::int64_t clock_lead_ns = 0;  // how far the clock of this host is before the rank's

  static constexpr char kUnseen = '?';  // nobody looks at it any more
  static constexpr char kEnded = 'X';

  bool operator==(const RemoteProcess&) const = default;
};

std::filesystem::path remote_process_file(const std::filesystem::path& record_file);

// Always of the same length, so that it can be written over.
std::string encode(const RemoteProcess& process);
std::optional<RemoteProcess> decode_remote_process(std::string_view line);

inline constexpr std::size_t kRemoteProcessBytes = 1 + 1 + 20 + 1 + 20 + 1;

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

  // Takes in what another host's watcher said since.
  void look();

  int fd() const { return descriptor_.get(); }  // readable once it has ended
  bool is_here() const { return descriptor_.is_open(); }
  bool has_ended() const;
  bool is_absent() const { return is_absent_; }  // no process had its number when it was looked for
  std::optional<ProcessSample> sample() const;
  std::int64_t clock_lead_ns() const { return remote_.clock_lead_ns; }  // of this host before the rank's

 private:
  pid_t pid_ = 0;
  bool is_absent_ = false;
  process::Descriptor descriptor_;
  process::Descriptor remote_file_;  // the file of a RemoteProcess
  RemoteProcess remote_;
};

}  // namespace lockstep::watch
