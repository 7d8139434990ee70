#include "record/read_stats.h"

#include <fmt/format.h>

namespace lockstep::record {

std::vector<std::string> ReadStats::limits() const {
  std::vector<std::string> limits;
  if (cut_at) limits.push_back(fmt::format("cut at byte {}: what followed is lost", *cut_at));
  if (damaged_chunks != 0) {
    limits.push_back(fmt::format("damaged from byte {} on: {} bytes in {} chunk{} could not be read",
                                 first_damage.value_or(0), lost_bytes, damaged_chunks,
                                 damaged_chunks == 1 ? "" : "s"));
  }
  if (missing_bytes != 0)
    limits.push_back(fmt::format("{} bytes of records that were written are missing", missing_bytes));
  if (!has_goodbye) limits.emplace_back("no goodbye: the process was killed, crashed or is still running");
  if (unfinished_records != 0) {
    limits.push_back(fmt::format("{} unfinished record{}: the process died while writing", unfinished_records,
                                 unfinished_records == 1 ? "" : "s"));
  }
  if (dropped != 0) limits.push_back(fmt::format("{} records were dropped for lack of room", dropped));
  if (overwritten_chunks != 0) limits.emplace_back("a ring: its oldest events were overwritten");
  if (unknown_records != 0) {
    limits.push_back(fmt::format("{} records of a kind this version does not know", unknown_records));
  }
  return limits;
}

}  // namespace lockstep::record
