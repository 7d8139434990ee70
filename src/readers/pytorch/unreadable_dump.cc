#include "readers/pytorch/unreadable_dump.h"

#include <algorithm>
#include <array>
#include <string>

#include "readers/pytorch/flight_recorder_rank.h"
#include "readers/rank_in_name.h"

namespace lockstep::readers {
namespace {

// Logs of ranks are named by rank as well; only names without an extension, or with a dump's, count.
bool has_extension_of_a_dump(std::filesystem::path path) {
  constexpr std::array<std::string_view, 7> kExtensions = {"",     ".pkl",  ".pickle", ".json",
                                                           ".bin", ".dump", ".trace"};
  if (path.extension() == ".gz" || path.extension() == ".zst") path.replace_extension();
  return std::ranges::find(kExtensions, path.extension().string()) != kExtensions.end();
}

bool is_pickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

}  // namespace

bool is_named_like_a_dump(const Source& source) {
  const std::filesystem::path name = source.path.filename();
  const RankInName told = rank_in_name(name);
  const bool is_certain = told.rank && !told.is_guess && has_extension_of_a_dump(name);
  const bool is_likely = told.rank && (name.string().find(".pickle") != std::string::npos ||
                                       name.string().find(".pkl") != std::string::npos);
  return is_certain || is_likely;
}

model::Job read_unreadable_dump(const Source& source) {
  model::Job job;
  FlightRecorderRank rank(job, source, 0);
  if (source.bytes.empty()) {
    rank.limit("empty");
  } else if (is_pickle(source.bytes)) {
    rank.limit("a pickle, but not a flight recorder dump; nothing of it was executed");
  } else {
    rank.limit("named like a dump, but its content is in no known format");
  }
  rank.finish();
  return job;
}

}  // namespace lockstep::readers
