// Which parameters a call is about, by its size: buckets of gradients hold parameters that follow each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/compare/attributes.h"

namespace lockstep::replay {

struct NamedTensor {
  std::string name;
  std::uint64_t elements = 0;
};

// From the attributes "parameters 0", "parameters 1" ...: "NAME ELEMENTS", one to a line, in order.
std::vector<NamedTensor> parameters_in(const Attributes& attributes);

// The parameters that follow each other and have so many elements together; none when there are no such
// parameters, or several choices.
std::vector<std::string> names_by_size(const std::vector<NamedTensor>& parameters, std::uint64_t elements);

}  // namespace lockstep::replay
