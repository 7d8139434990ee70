#include "replay/compare/compare.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "lockstep/recorder.h"

namespace lockstep::replay {
namespace {

constexpr std::size_t kMaxSteps = 1 << 20;  // counted one by one; a damaged file may name any step
constexpr std::string_view kNotTrained =
    " (not trained)";  // behind the name of state in which ranks may differ

bool gives_all_the_same(std::uint8_t operation) {
  return operation == LOCKSTEP_OPERATION_AllReduce || operation == LOCKSTEP_OPERATION_Broadcast ||
         operation == LOCKSTEP_OPERATION_AllGather;
}

std::string name_of(const record::Payload& payload, std::uint64_t communicator) {
  const auto found = payload.communicators.find(communicator);
  return found == payload.communicators.end() ? "" : found->second.name;
}

const record::PayloadResult* result_of(const record::Payload& payload, const record::PayloadKey& key) {
  const auto found = payload.results.find(key);
  return found == payload.results.end() ? nullptr : &found->second;
}

// Unknown is not different.
bool outputs_differ(const record::PayloadResult* a, const record::PayloadResult* b) {
  if (a == nullptr || b == nullptr || a->outputs.empty() || b->outputs.empty()) return false;
  return !std::ranges::equal(a->outputs, b->outputs, [](const auto& one, const auto& other) {
    return one.hash == other.hash && one.bytes == other.bytes;
  });
}

// Null where one sum stands for several, or names are not on record.
const std::vector<std::string>* names_of_sums(const record::Payload& payload,
                                              const record::PayloadState& state) {
  const auto found = payload.state_names.find(state.names);
  if (found == payload.state_names.end() || found->second.size() != state.sums.size()) return nullptr;
  return &found->second;
}

class Comparer {
 public:
  Comparer(const record::Payload& first, const record::Payload& second, bool inputs)
      : first_(first), second_(second), inputs_(inputs) {
    for (const record::PayloadCall& call : second.calls) others_.emplace(call.key, &call);
  }

  Comparison run() {
    result_.has_steps = !first_.states.empty();
    for (const record::PayloadCall& call : first_.calls) compare(call);
    if (inputs_) result_.only_in_second = others_.size();
    compare_states();
    return std::move(result_);
  }

 private:
  void compare(const record::PayloadCall& call) {
    if (!inputs_ && !gives_all_the_same(call.operation)) return;
    const auto found = others_.find(call.key);
    if (found == others_.end()) return note_missing(call);
    const record::PayloadCall other = *found->second;
    others_.erase(found);
    ++result_.calls;
    DifferingCall difference{.call = call, .communicator = name_of(first_, call.key.communicator)};
    const bool can_compare = inputs_ && call.input.has_value() && other.input.has_value() &&
                             call.is_device_sum == other.is_device_sum;
    difference.input_differs = can_compare && call.input != other.input;
    if (difference.input_differs && call.input_bytes != other.input_bytes)
      difference.other_bytes = other.input_bytes;
    difference.output_differs = outputs_differ(result_of(first_, call.key), result_of(second_, call.key));
    if (difference.input_differs) count_input(call.step);
    if (difference.output_differs) ++result_.differing_outputs;
    const bool differs = difference.input_differs || difference.output_differs;
    if (differs && !result_.first_call) result_.first_call = std::move(difference);
  }

  void note_missing(const record::PayloadCall& call) {
    if (!inputs_) return;  // another rank has communicators of its own
    ++result_.only_in_first;
    if (!result_.first_missing) {
      result_.first_missing =
          DifferingCall{.call = call, .communicator = name_of(first_, call.key.communicator)};
    }
  }

  void count_input(std::uint64_t step) {
    ++result_.differing_inputs;
    if (step >= kMaxSteps) return;
    if (result_.inputs_by_step.size() <= step) result_.inputs_by_step.resize(step + 1);
    ++result_.inputs_by_step[step];
  }

  void compare_states() {
    std::map<std::uint64_t, const record::PayloadState*> others;
    for (const record::PayloadState& state : second_.states) others.emplace(state.step, &state);
    for (const record::PayloadState& state : first_.states) {
      const auto found = others.find(state.step);
      if (found != others.end()) compare(state, *found->second);
    }
  }

  void compare(const record::PayloadState& state, const record::PayloadState& other) {
    const std::vector<SumOfBoth> sums = sums_of_both(state, other);
    if (sums.empty()) return;
    ++result_.states;
    result_.ends_equal = std::ranges::none_of(sums, &SumOfBoth::differs);
    if (result_.ends_equal) return;
    ++result_.differing_states;
    if (result_.first_state) return;
    DifferingState difference{.step = state.step, .names = {}, .of = sums.size()};
    for (const SumOfBoth& sum : sums) {
      if (sum.differs) difference.names.push_back(name_of_sum(state, sum.place));
    }
    result_.first_state = std::move(difference);
  }

  struct SumOfBoth {
    std::size_t place;  // in the first one's
    bool differs;
  };

  std::vector<SumOfBoth> sums_of_both(const record::PayloadState& state,
                                      const record::PayloadState& other) const {
    std::vector<SumOfBoth> sums =
        state.names == other.names ? sums_in_order(state, other) : sums_by_name(state, other);
    if (!inputs_) {
      std::erase_if(
          sums, [&](const SumOfBoth& sum) { return name_of_sum(state, sum.place).ends_with(kNotTrained); });
    }
    return sums;
  }

  static std::vector<SumOfBoth> sums_in_order(const record::PayloadState& state,
                                              const record::PayloadState& other) {
    std::vector<SumOfBoth> sums;
    for (std::size_t i = 0; i < std::min(state.sums.size(), other.sums.size()); ++i)
      sums.push_back({i, state.sums[i] != other.sums[i]});
    return sums;
  }

  // What one of the two has beside the other is not compared: a variable that nobody uses any more may live
  // on.
  std::vector<SumOfBoth> sums_by_name(const record::PayloadState& state,
                                      const record::PayloadState& other) const {
    const auto* const names = names_of_sums(first_, state);
    const auto* const other_names = names_of_sums(second_, other);
    if (names == nullptr || other_names == nullptr) return {};
    std::map<std::string_view, std::uint64_t> others;
    for (std::size_t i = 0; i < other.sums.size(); ++i) others.emplace((*other_names)[i], other.sums[i]);
    std::vector<SumOfBoth> sums;
    for (std::size_t i = 0; i < state.sums.size(); ++i) {
      const auto found = others.find((*names)[i]);
      if (found != others.end()) sums.push_back({i, state.sums[i] != found->second});
    }
    return sums;
  }

  std::string name_of_sum(const record::PayloadState& state, std::size_t place) const {
    const auto names = first_.state_names.find(state.names);
    const bool has_name = names != first_.state_names.end() && place < names->second.size();
    return has_name ? names->second[place] : std::to_string(place);
  }

  const record::Payload& first_;
  const record::Payload& second_;
  bool inputs_;
  std::map<record::PayloadKey, const record::PayloadCall*> others_;
  Comparison result_;
};

}  // namespace

Comparison compare_runs(const record::Payload& first, const record::Payload& second) {
  return Comparer(first, second, true).run();
}

Comparison compare_ranks(const record::Payload& first, const record::Payload& second) {
  return Comparer(first, second, false).run();
}

}  // namespace lockstep::replay
