// The process of a rank on another host, as the watcher there last saw it: a line in a hidden file beside the
// copy of its record file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::watch {

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

}  // namespace lockstep::watch
