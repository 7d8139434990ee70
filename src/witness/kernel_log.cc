#include "witness/kernel_log.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <iterator>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "process/descriptor.h"

namespace lockstep::witness {

std::optional<KernelLine> parse_kernel_record(std::string_view record) {
  const std::size_t semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  std::string_view head = record.substr(0, semicolon);
  for (int field = 0; field < 2; ++field) {
    const std::size_t comma = head.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    head.remove_prefix(comma + 1);
  }
  const auto time_us = base::number_in<std::int64_t>(base::word_of(head, ','));
  constexpr std::int64_t kMost = INT64_MAX / 1000;
  if (!time_us || *time_us < 0 || *time_us > kMost) return std::nullopt;
  return KernelLine{.time_ns = *time_us * 1000,
                    .text = std::string(base::word_of(record.substr(semicolon + 1), '\n'))};
}

bool bears_on_jobs(std::string_view text) {
  constexpr std::array<std::string_view, 17> kWords = {"Out of memory",
                                                       "oom-kill:",
                                                       "Killed process",
                                                       "NVRM: ",
                                                       "blocked for more than",
                                                       "segfault at",
                                                       "traps: ",
                                                       "general protection",
                                                       "I/O error",
                                                       "not responding",
                                                       "Hardware Error",
                                                       "mce: ",
                                                       "Link is Down",
                                                       "link is not ready",
                                                       "mlx5_core",
                                                       "No space left",
                                                       "soft lockup"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

KernelLog kernel_log_since(std::int64_t monotonic_ns) {
  const process::Descriptor log(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!log.is_open()) {
    return {.lines = {}, .why_not = fmt::format("the kernel's log cannot be read: {}", std::strerror(errno))};
  }
  std::deque<std::string> last;
  std::string why_not;
  char record[1 << 13];  // the kernel's own limit is below
  for (;;) {
    const ssize_t count = ::read(log.get(), record, sizeof record);
    if (count < 0 && (errno == EINTR || errno == EPIPE))
      continue;  // EPIPE: overwritten meanwhile, the next one follows
    if (count < 0 && errno != EAGAIN)
      why_not = fmt::format("the kernel's log cannot be read: {}", std::strerror(errno));
    if (count <= 0) break;
    const auto line = parse_kernel_record({record, static_cast<std::size_t>(count)});
    if (!line || line->time_ns < monotonic_ns || !bears_on_jobs(line->text)) continue;
    last.push_back(line->text);
    if (last.size() > kMostKernelLines) last.pop_front();
  }
  return {.lines = {std::make_move_iterator(last.begin()), std::make_move_iterator(last.end())},
          .why_not = std::move(why_not)};
}

}  // namespace lockstep::witness
