// What a record file knows about one call: the framework's name for it, its tensors, the parameters they
// hold, where in the script it was made, and how many elements of its result differ from another recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/payload.h"
#include "replay/compare/surroundings.h"

namespace lockstep::replay {

// A parameter of the model. Buckets of gradients hold consecutive ones, so the size of a call tells which.
struct NamedTensor {
  std::string name;
  std::uint64_t elements = 0;
};

// From the attributes "parameters 0", "parameters 1" ...: "NAME ELEMENTS", one to a line, in order.
std::vector<NamedTensor> parameters_in(const Attributes& attributes);

// The consecutive parameters that have so many elements together; none when there are no such parameters, or
// several choices.
std::vector<std::string> names_by_size(const std::vector<NamedTensor>& parameters, std::uint64_t elements);

// How many elements of a result differ between two recordings that both have its bytes.
struct ElementCount {
  std::uint64_t differing = 0;
  std::uint64_t of = 0;

  bool operator==(const ElementCount&) const = default;
};

// Of contents of one size, a multiple of `width`.
ElementCount count_differing(std::span<const std::byte> first, std::span<const std::byte> second,
                             std::size_t width);

struct Recorded {
  const record::Payload& rank;
  std::filesystem::path recording;
};

// `width`: bytes of an element. None where one of the two does not hold the result, or has it in other sizes.
std::optional<ElementCount> differing_elements(const Recorded& first, const Recorded& second,
                                               const record::PayloadKey& call, std::size_t width);

struct Frame {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
};

struct CallDetails {
  std::string name;          // "c10d.allreduce_"
  std::string tensors;       // "float32[524]"
  std::vector<Frame> stack;  // innermost first; empty: not taken
  std::uint64_t elements = 0;
  std::size_t element_bytes = 0;             // 0: not known
  std::vector<std::string> parameters = {};  // that have as many together; empty: not known
};

// None when the file cannot be read or does not have the call.
std::optional<CallDetails> find_call_details(const std::filesystem::path& record_file,
                                             const std::string& communicator,
                                             const record::PayloadCall& call);

}  // namespace lockstep::replay
