// An exception that the user's own script raised and no entry knows: an ordinary fault of the rank that
// raised it, whatever the ranks that lose this one print about connections.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "diagnose/logs/candidate.h"
#include "diagnose/logs/line_sources.h"
#include "diagnose/logs/traceback.h"

namespace lockstep::logs {

struct ScriptException {
  catalogue::Variant as_raised;     // its leaf, and the fixes for that
  std::vector<Sighting> sightings;  // of the same exception, one for each rank that raised it
};

// The first one that the rank did not outlive, or seems to have outlived though its launcher saw a process
// fail, and whose innermost frame outside Python's own library is the script's.
std::optional<ScriptException> script_exception_in(const catalogue::Catalogue& catalogue,
                                                   std::span<const LogText> logs,
                                                   std::span<const RaisedException> raised,
                                                   std::span<const Sighting> sightings,
                                                   const LineSources& sources);

// Makes it the most likely one, unless an entry knows the exception better, or what went wrong before it.
// `exception` must outlive the candidates.
void put_first_if_it_outweighs(const ScriptException& exception, std::vector<Candidate>& candidates);

}  // namespace lockstep::logs
