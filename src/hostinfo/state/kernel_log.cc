#include "hostinfo/state/kernel_log.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <iterator>

#include <fmt/format.h>

#include "base/process/descriptor.h"
#include "base/text_fields.h"

namespace lockstep::hostinfo {

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

// "python3[4711]: segfault at", "Killed process 4711 (python3)", "task python3:4711 blocked for",
// "pid=4711,": the number stands alone.
bool is_about(std::string_view text, std::span<const pid_t> pids) {
  if (text.starts_with("NVRM: ")) return true;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    const bool is_marked =
        begin > 0 && std::string_view("[: =").find(text[begin - 1]) != std::string_view::npos;
    const auto number = base::number_in<pid_t>(text.substr(begin, at - begin));
    if (is_marked && number && std::ranges::find(pids, *number) != pids.end()) return true;
    if (at == begin) ++at;
  }
  return false;
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
    if (last.size() > kMaxKernelLines) last.pop_front();
  }
  return {.lines = {std::make_move_iterator(last.begin()), std::make_move_iterator(last.end())},
          .why_not = std::move(why_not)};
}

}  // namespace lockstep::hostinfo
