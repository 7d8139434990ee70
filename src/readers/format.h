// The foreign formats Lockstep reads. Each has a pair of files in the folder of its producer and one line in
// the table of format.cc.
#pragma once

#include <span>
#include <string_view>

#include "model/job.h"
#include "readers/source.h"

namespace lockstep::readers {

struct Format {
  std::string_view name;  // "NCCL RAS report, JSON"
  // Decides by content, from the first kilobytes at most. At most one format recognises a source: the first
  // in the table.
  bool (*recognises)(const Source& source);
  // Never fails: what cannot be read becomes an entry of the job's limits, in words a person understands.
  // The job it returns has exactly one source, the name of this one.
  model::Job (*read)(const Source& source);
};

std::span<const Format> all_formats();

// Null when no format knows it.
const Format* sniff(const Source& source);

}  // namespace lockstep::readers
