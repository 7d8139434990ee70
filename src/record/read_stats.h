// How well a record file could be read. Imperfect files are read as far as they go; this says how far that
// was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::record {

struct ReadStats {
  std::uint64_t records = 0;
  std::uint64_t record_bytes = 0;
  std::uint64_t chunks = 0;
  std::uint64_t unknown_records = 0;     // of types this version does not know; skipped
  std::uint64_t unfinished_records = 0;  // the writer died while writing them
  std::uint64_t damaged_chunks = 0;
  std::uint64_t lost_bytes = 0;               // that could not be read because of damage
  std::optional<std::uint64_t> first_damage;  // offset in the file
  std::optional<std::uint64_t> cut_at;        // the file ends here, inside a chunk
  std::uint64_t missing_bytes = 0;            // of records: the goodbye counts more than there are
  std::uint64_t dropped = 0;                  // by the writer: no room on disk, or the size limit
  std::uint64_t overwritten_chunks = 0;       // of a ring: what they held is gone, as was asked for
  bool has_goodbye = false;

  // The file is not as its writer left it.
  bool is_damaged() const { return damaged_chunks != 0 || cut_at.has_value() || missing_bytes != 0; }

  // One sentence for each thing a verdict from this file cannot see. Empty for a whole recording.
  std::vector<std::string> limits() const;
};

}  // namespace lockstep::record
