#include "base/process/proc_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::process {
namespace {

// What follows `key` where a line begins with it.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    return base::trimmed(base::word_of(text.substr(at + key.size()), '\n'));
  }
  return {};
}

std::string_view take_word(std::string_view& rest) {
  rest = base::trimmed(rest);
  const std::string_view word = base::word_of(rest, " \t\n");
  rest.remove_prefix(word.size());
  return word;
}

SignalSet signals_of(std::string_view text, std::string_view key) {
  return SignalSet(base::number_in<std::uint64_t>(value_of(text, key), 16).value_or(0));
}

}  // namespace

std::string text_of(const std::filesystem::path& path, std::size_t limit_bytes) {
  auto text = base::read_file(path, limit_bytes);
  return text.ok() ? std::move(text).value() : std::string();
}

std::optional<std::uint64_t> number_in_file(const std::filesystem::path& path) {
  return base::number_in<std::uint64_t>(base::trimmed(text_of(path)));
}

std::optional<Stat> parse_stat(std::string_view text) {
  const std::size_t bracket = text.rfind(')');  // the name before it may hold anything
  if (bracket == std::string_view::npos) return std::nullopt;
  constexpr int kState = 3;
  constexpr int kParent = 4;
  constexpr int kMinorFaults = 10;
  constexpr int kUserTicks = 14;
  constexpr int kSystemTicks = 15;
  constexpr int kStartTicks = 22;
  std::string_view rest = text.substr(bracket + 1);
  Stat stat;
  for (int field = kState; field <= kStartTicks; ++field) {
    const std::string_view word = take_word(rest);
    if (word.empty()) return std::nullopt;
    const auto number = base::number_in<std::uint64_t>(word);
    if (field == kState) stat.state = word.front();
    if (field == kParent) stat.parent = number.value_or(0);
    if (field == kMinorFaults) stat.minor_faults = number.value_or(0);
    if (field == kUserTicks) stat.user_ticks = number.value_or(0);
    if (field == kSystemTicks) stat.system_ticks = number.value_or(0);
    if (field == kStartTicks) stat.start_ticks = number.value_or(0);
  }
  return stat;
}

Status parse_status(std::string_view text) {
  Status status;
  status.name = value_of(text, "Name:");
  const std::string_view state = value_of(text, "State:");
  if (!state.empty()) status.state = state.front();
  status.resident_bytes = kilobytes_behind(text, "VmRSS:");
  status.peak_resident_bytes = kilobytes_behind(text, "VmHWM:");
  status.swapped_bytes = kilobytes_behind(text, "VmSwap:");
  status.threads = number_behind(text, "Threads:").value_or(0);
  status.caught = signals_of(text, "SigCgt:");
  status.blocked = signals_of(text, "SigBlk:");
  status.pending = signals_of(text, "SigPnd:");
  status.shared_pending = signals_of(text, "ShdPnd:");
  return status;
}

std::optional<std::uint64_t> parse_soft_limit(std::string_view limits, std::string_view name) {
  std::string_view rest = value_of(limits, name);
  return base::number_in<std::uint64_t>(take_word(rest));
}

std::optional<std::uint64_t> kilobytes_behind(std::string_view text, std::string_view key) {
  const auto kilobytes = number_behind(text, key);
  constexpr std::uint64_t kMax = UINT64_MAX / 1024;
  if (!kilobytes || *kilobytes > kMax) return std::nullopt;
  return *kilobytes * 1024;
}

std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  std::string_view rest = value_of(text, key);
  return base::number_in<std::uint64_t>(take_word(rest));
}

namespace {

namespace fs = std::filesystem;

std::optional<Stat> stat_of(const Roots& roots, pid_t pid) {
  return parse_stat(text_of(roots.proc / std::to_string(pid) / "stat"));
}

}  // namespace

std::vector<pid_t> all_processes(const Roots& roots) {
  std::vector<pid_t> pids;
  std::error_code fault;
  for (fs::directory_iterator entry(roots.proc, fault), end; !fault && entry != end; entry.increment(fault)) {
    if (const auto pid = base::number_in<pid_t>(entry->path().filename().native())) pids.push_back(*pid);
  }
  std::ranges::sort(pids);
  return pids;
}

ProcessTree::ProcessTree(const Roots& roots) {
  for (const pid_t pid : all_processes(roots)) {
    if (const auto stat = stat_of(roots, pid)) {
      children_.emplace(static_cast<pid_t>(stat->parent), ProcessIdentity{pid, stat->start_ticks});
    }
  }
}

std::vector<ProcessIdentity> ProcessTree::below(pid_t top, pid_t without) const {
  std::vector<ProcessIdentity> found;
  const auto add_children_of = [&](pid_t parent) {
    const auto [begin, end] = children_.equal_range(parent);
    for (auto child = begin; child != end; ++child) {
      if (child->second.pid != without) found.push_back(child->second);
    }
  };
  add_children_of(top);
  for (std::size_t at = 0; at < found.size(); ++at) add_children_of(found[at].pid);
  return found;
}

}  // namespace lockstep::process
