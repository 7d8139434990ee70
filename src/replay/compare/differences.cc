#include "replay/compare/differences.h"

#include "replay/solo_command.h"
#include "replay/surroundings.h"

namespace lockstep::replay {

std::vector<std::string> differences_between(const Run& first, const Run& second) {
  std::vector<std::string> differences =
      surroundings_that_differ(attributes_in(first.record_file), attributes_in(second.record_file));
  if (!first.payload.process || !second.payload.process) return differences;
  for (std::string& one : differences_between(*first.payload.process, *second.payload.process)) {
    differences.push_back(std::move(one));
  }
  return differences;
}

}  // namespace lockstep::replay
