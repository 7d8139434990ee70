// The foreign formats Lockstep reads. Each has a pair of files in the folder of its producer and one line in
// the table of format.cc.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

struct Format {
  std::string_view name;  // "NCCL RAS report, JSON"
  // Decides by content. The first format in the table that recognises a source reads it.
  bool (*recognises)(const Source& source);
  // Never fails: what cannot be read becomes an entry of the job's limits, in words a person understands.
  // The job it returns has exactly one source, the name of this one.
  model::Job (*read)(const Source& source);
  // It stands in logs among other things: where one such format recognises a file, the others are asked too.
  bool stands_in_logs = false;
};

std::span<const Format> all_formats();

// Null when no format knows it.
const Format* sniff(const Source& source);

// All that are to read it, in the order of the table.
std::vector<const Format*> formats_in(const Source& source);

}  // namespace lockstep::readers
