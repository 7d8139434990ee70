// What the kernel wrote of processes it killed, disks and servers that do not answer, GPUs that failed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace lockstep::hostinfo {

struct KernelLine {
  std::int64_t time_ns = 0;  // monotonic
  std::string text;
};

// One record of /dev/kmsg: "6,1234,5678901,-;message", and lines of fields behind it, which are left out.
std::optional<KernelLine> parse_kernel_record(std::string_view record);

bool bears_on_jobs(std::string_view text);

// Whether it is about one of the processes, or about a GPU.
bool is_about(std::string_view text, std::span<const pid_t> pids);

struct KernelLog {
  std::vector<std::string> lines;  // that bear on jobs, the last kMaxKernelLines
  std::string why_not;
};
inline constexpr std::size_t kMaxKernelLines = 100;

KernelLog kernel_log_since(std::int64_t monotonic_ns);

}  // namespace lockstep::hostinfo
