// Two payloads against each other, call by call and step by step, by their hashes alone: a recorded rank and
// its replay, the same rank of two recordings, or two ranks of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/payload.h"

namespace lockstep::replay {

struct DifferingCall {
  record::PayloadCall call;       // as the first payload has it
  std::string communicator = {};  // its name
  bool input_differs = false;
  bool output_differs = false;
  std::optional<std::uint64_t> other_bytes = std::nullopt;  // when what it was given has another size
};

struct DifferingState {
  std::uint64_t step = 0;
  std::vector<std::string> names;  // of what differs
  std::size_t of = 0;              // how many there are
};

struct Comparison {
  bool has_steps = false;  // else nothing told where a step ends
  std::size_t calls = 0;   // compared
  std::size_t differing_inputs = 0;
  std::size_t differing_outputs = 0;
  std::optional<DifferingCall> first_call;
  std::vector<std::size_t> inputs_by_step;  // how many inputs differ in each step, for how it grows

  std::size_t states = 0;  // steps compared
  std::size_t differing_states = 0;
  std::optional<DifferingState> first_state;
  bool ends_equal = true;  // the last step that both have

  std::size_t only_in_first = 0;  // calls
  std::size_t only_in_second = 0;
  std::optional<DifferingCall> first_missing;  // the first call that the second payload does not have

  bool is_equal() const {
    return differing_inputs == 0 && differing_outputs == 0 && differing_states == 0 && only_in_first == 0 &&
           only_in_second == 0;
  }
};

// What one rank was given and learned, against the same of another run of it.
Comparison compare_runs(const record::Payload& first, const record::Payload& second);

// What two ranks of one job were given back by collectives that give all members the same, and what both
// learned.
Comparison compare_ranks(const record::Payload& first, const record::Payload& second);

}  // namespace lockstep::replay
