#include "readers/pytorch/kineto_entry.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

#include "readers/pytorch/flight_recorder_entry.h"

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

namespace {

using model::DataType;
using model::Operation;

template <typename Value>
struct Synonym {
  std::string_view text;
  Value value;
};

// A word that holds another stands before it: a reduce_scatter is no scatter, an all_reduce_barrier a
// barrier.
constexpr std::array<Synonym<Operation>, 11> kKinetoEntryOperations = {{
    {"barrier", Operation::kBarrier},
    {"reducescatter", Operation::kReduceScatter},
    {"allgather", Operation::kAllGather},
    {"allreduce", Operation::kAllReduce},
    {"alltoall", Operation::kAllToAll},
    {"broadcast", Operation::kBroadcast},
    {"sendrecv", Operation::kUnknown},
    {"scatter", Operation::kScatter},
    {"gather", Operation::kGather},
    {"reduce", Operation::kReduce},
    {"send", Operation::kSend},
}};

constexpr std::array<Synonym<DataType>, 13> kCppTypes = {{
    {"float", DataType::kFloat32},
    {"double", DataType::kFloat64},
    {"c10::Half", DataType::kFloat16},
    {"c10::BFloat16", DataType::kBFloat16},
    {"long int", DataType::kInt64},
    {"long", DataType::kInt64},
    {"int", DataType::kInt32},
    {"short int", DataType::kInt16},
    {"short", DataType::kInt16},
    {"signed char", DataType::kInt8},
    {"unsigned char", DataType::kUInt8},
    {"bool", DataType::kBool},
    {"", DataType::kUnknown},
}};

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name.substr(0, name.find('('))) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters;
}

}  // namespace

Operation pytorch_operation(std::string_view name) {
  constexpr std::size_t kLongest = 128;
  const std::string letters = letters_of(name.substr(0, kLongest));
  for (const auto& [word, operation] : kKinetoEntryOperations) {
    if (letters.find(word) != std::string::npos) return operation;
  }
  return letters.find("recv") == std::string::npos ? Operation::kUnknown : Operation::kReceive;
}

DataType pytorch_data_type(std::string_view name) {
  const auto place = std::ranges::find(kCppTypes, name, &Synonym<DataType>::text);
  return place != kCppTypes.end() ? place->value : flight_recorder_type(name);
}

}  // namespace lockstep::readers
