// What a log shows, as numbers that the arbiter weighs: the one implementation, dumped for training by
// tests/corpus/judge_lines and asked by the judge.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "diagnose/logs/candidate.h"
#include "diagnose/logs/context.h"
#include "diagnose/logs/line.h"
#include "diagnose/logs/silent.h"
#include "diagnose/logs/traceback.h"
#include "model/finding_code.h"

namespace lockstep::logs {

// By name. The first letter is the kind: 's' for structure, 'e' for words of lines that tell of a failure,
// 'f' for frames of tracebacks, 'w' for words of other lines, 'q' for those of settings and source text; of
// all lines that are read for words, whatever they are, 'u' for words and their pairs and 'c' for parts of
// words, by how often they come.
using Features = std::map<std::string, float, std::less<>>;

// What the judge knows when it decides. All but the logs may be empty.
struct Observed {
  std::span<const LogText> logs;
  const Context& context;
  std::span<const Sighting> sightings;
  std::span<const Candidate> candidates;  // likeliest first
  std::span<const RaisedException> raised;
  std::optional<model::Leaf> place;  // the part of a framework that raised
  std::optional<SilentSign> sign;
  const std::set<int>& speaking;
  bool all_finished = false;
  bool sounds_like_failure = false;
};

Features features_of(const Observed& observed);

}  // namespace lockstep::logs
