#include "readers/pytorch/trace_entry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lockstep::readers {
namespace {

struct NamePrefix {
  std::string_view text;
  EntryKind kind;
};

constexpr std::array<NamePrefix, 8> kPrefixes = {{
    {"ProfilerStep#", EntryKind::kStep},
    {"record_param_comms", EntryKind::kCall},
    {"ncclDevKernel", EntryKind::kKernel},
    {"ncclKernel", EntryKind::kKernel},
    {"c10d::", EntryKind::kIssue},
    {"gloo:", EntryKind::kAnnotation},
    {"mpi:", EntryKind::kAnnotation},
    {"ucc:", EntryKind::kAnnotation},
}};

// Tensor moves and the like on the device are annotated a second time.
bool is_on_device(base::FastJson json) {
  return base::string_member(json, "cat").value_or("").starts_with("gpu_");
}

}  // namespace

EntryKind kind_of_name(std::string_view name) {
  for (const auto& [text, kind] : kPrefixes) {
    if (name.starts_with(text)) return kind;
  }
  return EntryKind::kOther;
}

EntryKind kind_by_name(std::string_view text, bool& must_parse) {
  constexpr std::string_view kKey = "\"name\"";
  must_parse = false;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[') {  // a name from here on may be that of something inside
      must_parse = true;
      return EntryKind::kOther;
    }
    if (text[at] != '"' || !text.substr(at).starts_with(kKey)) continue;
    const std::string_view rest = text.substr(at + kKey.size());
    const std::size_t quote = rest.find('"');
    return quote == std::string_view::npos ? EntryKind::kOther : kind_of_name(rest.substr(quote + 1));
  }
  return EntryKind::kOther;
}

std::optional<TraceEntry> parse_entry(base::FastJson json) {
  constexpr double kLargestTime = 4.0e15;  // microseconds: the year 2096
  constexpr double kLargestDuration = 1.0e15;
  TraceEntry entry;
  entry.name = base::string_member(json, "name").value_or("");
  entry.kind = kind_of_name(entry.name);
  const bool is_complete = base::string_member(json, "ph") == "X";
  const auto begin = base::number_member(json, "ts");
  if (entry.kind == EntryKind::kOther || !is_complete || !begin || is_on_device(json)) return std::nullopt;
  entry.begin_us = *begin;
  entry.duration_us = base::number_member(json, "dur").value_or(0);
  const bool is_plausible = std::abs(entry.begin_us) <= kLargestTime && entry.duration_us >= 0 &&
                            entry.duration_us <= kLargestDuration;
  if (!is_plausible) return std::nullopt;
  entry.pid = base::integer_member(json, "pid").value_or(-1);
  const std::int64_t thread = base::integer_member(json, "tid").value_or(0);
  if (thread > 0 && thread <= std::numeric_limits<std::uint32_t>::max()) {
    entry.thread = static_cast<std::uint32_t>(thread);
  }
  entry.args = base::member(json, "args");
  return entry;
}

}  // namespace lockstep::readers
