#include "readers/pytorch/flight_recorder_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "model/collective.h"

namespace lockstep::readers {
namespace {

using model::Operation;

// Variants of one operation: out of place, on flat tensors, of several tensors, with uneven counts.
constexpr std::array<std::string_view, 9> kVariants = {
    "_oop", "_base", "_coalesced", "_single", "_v", "_sparse", "_into_tensor", "_tensor", "_anysource"};

constexpr std::array<std::pair<std::string_view, Operation>, 25> kOperations = {{
    {"all_reduce", Operation::kAllReduce},
    {"allreduce", Operation::kAllReduce},
    {"reduce", Operation::kReduce},
    {"broadcast", Operation::kBroadcast},
    {"all_gather", Operation::kAllGather},
    {"allgather", Operation::kAllGather},
    {"gather", Operation::kGather},
    {"reduce_scatter", Operation::kReduceScatter},
    {"reducescatter", Operation::kReduceScatter},
    {"scatter", Operation::kScatter},
    {"all_to_all", Operation::kAllToAll},
    {"alltoall", Operation::kAllToAll},
    {"alltoallv", Operation::kAllToAll},
    {"barrier", Operation::kBarrier},
    {"all_reduce_barrier", Operation::kBarrier},
    {"monitored_barrier", Operation::kBarrier},
    {"send", Operation::kSend},
    {"isend", Operation::kSend},
    {"recv", Operation::kReceive},
    {"irecv", Operation::kReceive},
    {"recvanysource", Operation::kReceive},
    {"coalesced", Operation::kCoalesced},
    {"split", Operation::kCreateCommunicator},
    {"new_comm", Operation::kCreateCommunicator},
    {"comm_split", Operation::kCreateCommunicator},
}};

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

std::optional<Operation> operation_called(std::string_view name) {
  const auto place = std::ranges::find(kOperations, name, [](const auto& one) { return one.first; });
  return place == kOperations.end() ? std::nullopt : std::optional(place->second);
}

Operation operation_of(std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  for (;;) {
    if (const auto operation = operation_called(name)) return *operation;
    const auto variant =
        std::ranges::find_if(kVariants, [&](std::string_view suffix) { return name.ends_with(suffix); });
    if (variant == kVariants.end()) return Operation::kUnknown;
    name.remove_suffix(variant->size());
  }
}

std::optional<int> group_rank(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size() && number >= 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

// "0->1" of a send, "1<-0" of a receive: the one who recorded it stands first.
void read_ends(FlightRecorderName& parsed, std::string_view ends) {
  for (const std::string_view arrow : {"->", "<-"}) {
    const std::size_t at = ends.find(arrow);
    if (at == std::string_view::npos) continue;
    parsed.own = group_rank(ends.substr(0, at));
    parsed.peer = group_rank(ends.substr(at + arrow.size()));
  }
}

}  // namespace

FlightRecorderName parse_flight_recorder_name(std::string_view profiling_name) {
  FlightRecorderName parsed;
  const std::size_t colon = profiling_name.find(':');
  if (colon != std::string_view::npos) parsed.backend = profiling_name.substr(0, colon);
  std::string_view name = colon == std::string_view::npos ? profiling_name : profiling_name.substr(colon + 1);
  const std::size_t space = name.find(' ');
  const std::string_view ends = space == std::string_view::npos ? std::string_view() : name.substr(space + 1);
  name = name.substr(0, space);

  // ALLGATHER_coalesced closes a region; allreduce_coalesced is one call with several tensors.
  const bool is_type_coalesced = name.ends_with("_coalesced") && is_upper(name.front());
  parsed.name = name;
  parsed.operation = is_type_coalesced ? Operation::kCoalesced : operation_of(name);
  parsed.closes_region = parsed.operation == Operation::kCoalesced;
  parsed.is_point_to_point = model::is_point_to_point(parsed.operation);
  if (parsed.is_point_to_point) read_ends(parsed, ends);
  return parsed;
}

}  // namespace lockstep::readers
