#include "readers/nccl/log_line.h"

#include <limits>
#include <utility>

#include "base/text_fields.h"
#include "readers/nccl/words.h"

namespace lockstep::readers {
namespace {

using base::number_after;
using base::number_in;
using base::word_after;

constexpr std::string_view kLevel = "NCCL INFO ";

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_';
}

// The part of `text` behind its last `separator`, which is cut off from it.
std::string_view cut_last(std::string_view& text, char separator) {
  const std::size_t at = text.rfind(separator);
  if (at == std::string_view::npos) return {};
  const std::string_view last = text.substr(at + 1);
  text = text.substr(0, at);
  return last;
}

// "host:pid:thread [device] ", from the end: launchers and time stamps put anything before it.
bool read_prefix(std::string_view prefix, NcclLogLine& line) {
  if (!prefix.ends_with("] ")) return false;
  prefix.remove_suffix(2);
  const auto device = number_in<int>(cut_last(prefix, '['));
  if (!device || !prefix.ends_with(' ')) return false;
  prefix.remove_suffix(1);
  const auto thread = number_in<std::int64_t>(cut_last(prefix, ':'));
  const auto pid = number_in<std::int64_t>(cut_last(prefix, ':'));
  if (!thread || !pid) return false;
  std::size_t begin = prefix.size();
  while (begin > 0 && is_host_character(prefix[begin - 1])) --begin;
  line.host = prefix.substr(begin);
  line.pid = *pid;
  line.thread = static_cast<std::uint32_t>(*thread);
  line.device = *device;
  return !line.host.empty();
}

std::optional<std::uint64_t> pointer_in(std::string_view word) {
  if (!word.starts_with("0x")) return std::nullopt;
  return number_in<std::uint64_t>(word.substr(2), 16);
}

// Reads "key value key value ..." in the order in which NCCL prints it. Most of the time of a long log is
// spent here, so each character is looked at once.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  // Each is the value behind `key`, which must come next.
  template <std::uint64_t base>
  std::optional<std::uint64_t> number(std::string_view key) {
    constexpr std::size_t kMaxDigits = base == 16 ? 16 : 18;
    if (!skip(key)) return std::nullopt;
    std::uint64_t value = 0;
    std::size_t at = 0;
    for (; at < rest_.size() && rest_[at] != ' ' && rest_[at] != ']' && rest_[at] != ','; ++at) {
      const std::uint64_t digit = digit_of(rest_[at]);
      if (digit >= base) return std::nullopt;
      value = value * base + digit;
    }
    if (at == 0 || at > kMaxDigits) return std::nullopt;
    rest_.remove_prefix(at < rest_.size() ? at + 1 : at);
    return value;
  }

  bool pass(std::string_view key) {
    if (!skip(key)) return false;
    const std::size_t end = rest_.find(' ');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return true;
  }

 private:
  bool skip(std::string_view key) {
    if (!rest_.starts_with(key)) return false;
    rest_.remove_prefix(key.size());
    return true;
  }

  static std::uint64_t digit_of(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint64_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint64_t>(c - 'a' + 10);
    return std::numeric_limits<std::uint64_t>::max();
  }

  std::string_view rest_;
};

}  // namespace

std::optional<NcclLogLine> nccl_info_line(std::string_view line) {
  const std::size_t level = line.find(kLevel);
  if (level == std::string_view::npos) return std::nullopt;
  NcclLogLine found;
  if (!read_prefix(line.substr(0, level), found)) return std::nullopt;
  found.message = line.substr(level + kLevel.size());
  return found;
}

std::optional<NcclInitMessage> nccl_init_message(std::string_view message) {
  message = base::trimmed(message);
  const bool is_start = message.ends_with("- Init START");
  const bool is_complete = message.ends_with("- Init COMPLETE");
  if (!is_start && !is_complete) return std::nullopt;
  const auto pointer = number_after<std::uint64_t>(message, "comm 0x", 16);
  const auto rank = number_after<int>(message, " rank ");
  const auto ranks = number_after<int>(message, " nranks ");
  if (!pointer || !rank || !ranks || *rank < 0 || *ranks <= *rank) return std::nullopt;
  NcclInitMessage found;
  found.is_complete = is_complete;
  found.pointer = *pointer;
  found.rank = *rank;
  found.ranks = *ranks;
  found.device = number_after<int>(message, " cudaDev ");
  found.id = word_after(message, " commId ");
  found.parent = pointer_in(word_after(message, " parent "));
  const std::size_t split = message.find("splitCount ");
  if (split != std::string_view::npos) {
    found.split = message.substr(split, message.find(" key ", split) - split);
  }
  return found;
}

std::optional<NcclOperationMessage> nccl_operation_message(std::string_view message) {
  constexpr std::size_t kLongestName = 24;
  const std::size_t colon = message.substr(0, kLongestName).find(':');
  if (colon == std::string_view::npos || !message.substr(colon).starts_with(": opCount "))
    return std::nullopt;
  Fields fields(message.substr(colon + 2));
  const auto launch = fields.number<16>("opCount ");
  if (!launch || !fields.pass("sendbuff ") || !fields.pass("recvbuff ")) return std::nullopt;
  const auto count = fields.number<10>("count ");
  const auto data_type = fields.number<10>("datatype ");
  const auto reduce_op = fields.number<10>("op ");
  const auto root = fields.number<10>("root ");
  const auto pointer = fields.number<16>("comm 0x");
  if (!count || !data_type || !reduce_op || !root || !pointer) return std::nullopt;
  const auto ranks = fields.number<10>("[nranks=");
  if (!std::in_range<int>(*root) || !std::in_range<int>(ranks.value_or(0))) return std::nullopt;
  return NcclOperationMessage{.operation = nccl_operation(message.substr(0, colon)),
                              .launch = *launch,
                              .count = static_cast<std::int64_t>(*count),
                              .data_type = *data_type,
                              .reduce_op = *reduce_op,
                              .root = static_cast<int>(*root),
                              .pointer = *pointer,
                              .ranks = static_cast<int>(ranks.value_or(0))};
}

bool tells_of_nccl_events(std::string_view line) {
  const auto info = nccl_info_line(line);
  return info && (nccl_operation_message(info->message) || nccl_init_message(info->message));
}

}  // namespace lockstep::readers
