// Ranks that print checksums of their parameters, and different ones.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "diagnose/logs/line.h"
#include "diagnose/logs/line_sources.h"

namespace lockstep::logs {

struct DifferingChecksums {
  std::size_t log = 0;
  LineSpan line;                // of the odd rank, or of the last one
  std::optional<int> odd_rank;  // all others agree
};

// By what each rank says last, where all of them train: each has a loss. Ranks that each hold a part of the
// model differ all and are healthy; all count as differing only where their losses do too, as those of whole
// models do.
std::optional<DifferingChecksums> differing_checksums(std::span<const LogText> logs,
                                                      const LineSources& sources);

}  // namespace lockstep::logs
