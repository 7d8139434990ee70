// Logs without a word about a fault, of a job that still runs: does it hang?
#pragma once

#include <optional>
#include <string>

#include "catalogue/catalogue.h"
#include "diagnose/logs/context.h"
#include "model/finding.h"
#include "readers/read_all.h"

namespace lockstep::diagnose {

struct Hanging {
  model::Finding finding;
  std::string to_learn_more;  // a command
};

// Looks at this host's processes; half a second where one of them writes a log that has fallen silent.
std::optional<Hanging> look_whether_it_hangs(const readers::ReadResult& read, logs::Stage stage,
                                             const catalogue::Catalogue& catalogue);

}  // namespace lockstep::diagnose
