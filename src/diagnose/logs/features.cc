#include "diagnose/logs/features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/text_search/regex.h"
#include "catalogue/symptom.h"
#include "diagnose/logs/exception_place.h"
#include "diagnose/logs/line_role.h"
#include "diagnose/logs/words.h"
#include "model/line_origin.h"

namespace lockstep::logs {
namespace {

// What is read of a job: the ends of its logs and what lies around the lines that the catalogue knows.
constexpr std::size_t kFeatureBytes = std::size_t{24} << 10;
constexpr std::size_t kHeadOfLog = std::size_t{4} << 10;
constexpr std::size_t kAroundSighting = std::size_t{3} << 9;
constexpr std::size_t kMaxBytes = std::size_t{512} << 10;
constexpr std::size_t kMinPerLog = std::size_t{2} << 10;
constexpr std::size_t kMaxSightings = 48;
constexpr std::size_t kMaxLogs = 64;

// Words of the last lines count, whatever they are; further up only those of failures.
constexpr std::size_t kLastLines = 40;
constexpr std::size_t kLongestText = 600;  // of one line

struct ReadLine {
  std::size_t log = 0;
  LineSpan span;
  std::string text;  // without terminal codes
  LineRole role = LineRole::kOther;
};

// Of a job of many logs those that show something are read first, then some from everywhere: what a thousand
// ranks print alike is told by a few of them.
std::vector<std::size_t> logs_to_read(const Observed& observed) {
  std::set<std::size_t> chosen;
  const auto choose = [&](std::size_t log) {
    if (chosen.size() < kMaxLogs) chosen.insert(log);
  };
  for (const Candidate& candidate : observed.candidates) {
    choose(candidate.sightings.front()->log);
    choose(candidate.sightings.back()->log);
  }
  for (const RaisedException& raised : observed.raised) choose(raised.log);
  const std::size_t step = std::max<std::size_t>(1, observed.logs.size() / kMaxLogs);
  for (std::size_t first = 0; first < step; ++first) {
    for (std::size_t log = first; log < observed.logs.size(); log += step) choose(log);
  }
  return {chosen.begin(), chosen.end()};
}

// In the order of the logs and of their lines. A place is that of a log among those that were read.
class Lines {
 public:
  explicit Lines(const Observed& observed) : read_(logs_to_read(observed)) {
    const std::size_t share = std::max(kMinPerLog, kMaxBytes / std::max<std::size_t>(read_.size(), 1));
    for (const std::size_t log : read_) {
      begins_.push_back(lines_.size());
      for (const LineSpan part : parts_of(observed, log, share)) read(observed.logs[log], log, part);
      let_go(observed.logs[log]);
    }
    begins_.push_back(lines_.size());
  }

  std::span<const ReadLine> all() const { return lines_; }
  std::size_t logs() const { return read_.size(); }
  std::span<const ReadLine> of_log(std::size_t place) const {
    return std::span(lines_).subspan(begins_[place], begins_[place + 1] - begins_[place]);
  }
  std::optional<std::size_t> place_of(std::size_t log) const {
    const auto found = std::ranges::lower_bound(read_, log);
    if (found == read_.end() || *found != log) return std::nullopt;
    return static_cast<std::size_t>(found - read_.begin());
  }
  // Index in all(); nullopt for a line that was not read.
  std::optional<std::size_t> at(std::size_t log, LineSpan span) const {
    const auto place = place_of(log);
    if (!place) return std::nullopt;
    const auto lines = of_log(*place);
    const auto found = std::ranges::lower_bound(lines, span.begin + 1, {},
                                                [](const ReadLine& line) { return line.span.end; });
    if (found == lines.end() || found->span.begin > span.begin) return std::nullopt;
    return begins_[*place] + static_cast<std::size_t>(found - lines.begin());
  }

 private:
  static std::vector<LineSpan> parts_of(const Observed& observed, std::size_t log, std::size_t share) {
    const std::size_t size = observed.logs[log].bytes.size();
    const std::size_t end = std::min(kFeatureBytes, share);
    std::vector<LineSpan> parts = {{0, std::min(size, std::min(kHeadOfLog, share / 4))},
                                   {size - std::min(size, end), size}};
    std::size_t taken = 0;
    for (const Candidate& candidate : observed.candidates) {
      for (const Sighting* seen : {candidate.sightings.front(), candidate.sightings.back()}) {
        if (seen->log != log || ++taken > kMaxSightings || taken * 2 * kAroundSighting > share) continue;
        parts.push_back({seen->line.begin - std::min(seen->line.begin, kAroundSighting),
                         std::min(size, seen->line.end + kAroundSighting)});
      }
    }
    std::ranges::sort(parts, {}, &LineSpan::begin);
    std::vector<LineSpan> joined;
    for (const LineSpan part : parts) {
      if (!joined.empty() && part.begin <= joined.back().end)
        joined.back().end = std::max(joined.back().end, part.end);
      else
        joined.push_back(part);
    }
    return joined;
  }

  void read(const LogText& log, std::size_t number, LineSpan part) {
    const std::size_t first = lines_.size();
    std::size_t begin = part.begin;
    if (begin > 0 && begin < log.bytes.size()) begin = line_around(log.bytes, begin).begin;
    if (!lines_.empty() && lines_.back().log == number) begin = std::max(begin, lines_.back().span.end);
    for_each_line(log.bytes, begin, part.end, [&](std::string_view line, LineSpan span) {
      lines_.push_back({number, span, without_terminal_codes(line), LineRole::kOther});
    });
    std::vector<std::string_view> texts;
    for (std::size_t i = first; i < lines_.size(); ++i) texts.push_back(lines_[i].text);
    const std::vector<LineRole> roles = roles_of(texts);
    for (std::size_t i = first; i < lines_.size(); ++i) lines_[i].role = roles[i - first];
  }

  std::vector<std::size_t> read_;  // logs, in their order
  std::vector<ReadLine> lines_;
  std::vector<std::size_t> begins_;  // by place
};

std::string lower(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

// Of numbers that grow with the failure or against it: every size that is reached, so that what is learned of
// eight lines holds for eighty.
void add_reached(std::string_view name, std::size_t count, float share, Features& features) {
  constexpr std::size_t kLargest = 256;
  constexpr std::size_t kTimes = 4;
  if (count == 0) features[fmt::format("{} 0", name)] += share;
  for (std::size_t size = 1; size <= std::min(count, kLargest); size *= kTimes)
    features[fmt::format("{} from {}", name, size)] += share;
}

// "3", "1-2", "3-9" ...: how many is told by the size, not by the number.
std::string size_of(std::size_t count) {
  if (count == 0) return "0";
  return std::to_string(std::bit_floor(count));
}

bool is_failure_text(LineRole role) {
  return role == LineRole::kException || role == LineRole::kLogError || role == LineRole::kKernel ||
         role == LineRole::kLauncher;
}

// 'File "/a/b/torch/distributed/run.py", line 3, in main' as "run.py" and "main".
void add_frame(std::string_view text, Features& features) {
  static const base::Regex frame = base::Regex::of_our_own(
      R"re(File "(?:[^"]*/)?(?P<file>[^"/]+)", line \d+(?:, in (?P<function>[\w<>]+))?)re");
  const auto found = frame.capture(text);
  if (!found) return;
  features["f:" + lower(found->at("file"))] = 1;
  const auto function = found->find("function");
  if (function != found->end() && !function->second.empty()) features["f:in " + lower(function->second)] = 1;
}

void add_words(const Lines& lines, const Observed& observed, Features& features) {
  FailureWords words(features);
  WholeText whole_text;
  std::set<std::size_t> known;  // lines that an entry knows
  for (const Sighting& seen : observed.sightings) {
    if (const auto at = lines.at(seen.log, seen.line)) known.insert(*at);
  }
  std::set<std::string> seen_texts;
  const auto all = lines.all();
  for (std::size_t log = 0; log < lines.logs(); ++log) {
    const auto own = lines.of_log(log);
    const std::size_t first = own.empty() ? 0 : static_cast<std::size_t>(own.data() - all.data());
    bool follows_exception = false;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const ReadLine& line = own[i];
      const std::string_view text = model::split_origin(line.text).text;
      const bool tells = is_failure_text(line.role) || (follows_exception && line.role == LineRole::kOther) ||
                         (known.contains(first + i) && tells_of_events(line.role));
      follows_exception =
          line.role == LineRole::kException || (follows_exception && line.role == LineRole::kOther);
      const bool is_last = i + kLastLines >= own.size();
      if (!tells && !is_last && line.role != LineRole::kFrame) continue;
      if (!seen_texts.insert(std::string(text.substr(0, kLongestText))).second) continue;
      whole_text.add(text);
      if (line.role == LineRole::kFrame) {
        add_frame(text, features);
      } else if (tells) {
        words.add(text, "e", true);
        words.add(text, "w", false);
      } else if (line.role != LineRole::kSetting && line.role != LineRole::kQuotedSource &&
                 line.role != LineRole::kSourceListing) {
        words.add(text, "w", true);
      } else {
        words.add(text, "q", false);
      }
    }
  }
  whole_text.put_into(features);
}

// Is it said that the work is done?
bool says_done(std::string_view text) {
  static const base::Regex done = base::Regex::of_our_own(
      R"(\b(?:done|finished|completed?|successful(?:ly)?|training (?:is )?(?:over|ended)|best (?:acc|val|model|epoch)|saved|total time|elapsed|test (?:acc|loss))\b)");
  return done.found_in(text);
}

// How a log ends, and what follows the failures it shows.
void add_course(const Lines& lines, Features& features) {
  std::size_t exceptions = 0;
  std::size_t errors = 0;
  std::size_t steps = 0;
  for (std::size_t log = 0; log < lines.logs(); ++log) {
    const auto own = lines.of_log(log);
    std::optional<std::size_t> last_failure;
    std::optional<std::size_t> last_step;
    std::optional<std::size_t> last_done;
    std::optional<std::size_t> ended_well;
    std::size_t steps_after = 0;
    std::size_t steps_before = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].role == LineRole::kException || own[i].role == LineRole::kKernel) ++exceptions;
      if (own[i].role == LineRole::kLogError) ++errors;
      if (is_failure_text(own[i].role)) {
        last_failure = i;
        steps_before += steps_after;
        steps_after = 0;
      }
      if (own[i].role == LineRole::kProgress) {
        ++steps;
        ++steps_after;
        last_step = i;
      }
      if (tells_of_events(own[i].role) && !is_failure_text(own[i].role) && says_done(own[i].text))
        last_done = i;
      if (own[i].role == LineRole::kEndedWell) ended_well = i;
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(own.size(), 6); ++i) {
      const std::string_view role = word_for(own[own.size() - 1 - i].role);
      features[fmt::format("s:end {}", role)] += 1.0F / static_cast<float>(lines.logs());
      if (i == 0) features[fmt::format("s:last {}", role)] += 1.0F / static_cast<float>(lines.logs());
    }
    const float share = 1.0F / static_cast<float>(lines.logs());
    if (!last_failure) features["s:course no failure"] += share;
    if (last_failure) {
      add_reached("s:course lines after failure", own.size() - 1 - *last_failure, share, features);
      add_reached("s:course steps after failure", steps_after, share, features);
      add_reached("s:course steps before failure", steps_before, share, features);
      if (last_done && *last_done > *last_failure) features["s:course done after failure"] += share;
    }
    if (ended_well) {
      const bool is_last_word = !last_failure || *ended_well > *last_failure;
      features[is_last_word ? "s:course ended well" : "s:course ended well, then failed"] += share;
    }
    if (last_step) add_reached("s:course lines after step", own.size() - 1 - *last_step, share, features);
    if (last_done) {
      add_reached("s:course lines after done", own.size() - 1 - *last_done, share, features);
      if (!last_step || *last_done > *last_step) features["s:course done after steps"] += share;
    } else {
      features["s:course never done"] += share;
    }
  }
  add_reached("s:exceptions", exceptions, 1, features);
  add_reached("s:errors", errors, 1, features);
  add_reached("s:steps", steps, 1, features);
}

void add_exceptions(std::span<const RaisedException> raised, Features& features) {
  if (raised.empty()) return;
  const auto kind_of = [](const RaisedException& exception) {
    return lower(std::string_view(exception.kind).substr(exception.kind.rfind('.') + 1));
  };
  features["s:first raised " + kind_of(raised.front())] = 1;
  features["s:last raised " + kind_of(raised.back())] = 1;
  features["s:raised " + size_of(raised.size())] = 1;
  features[fmt::format("s:first raised as {}", model::entry_of(leaf_of(raised.front())).id)] = 1;
  features[fmt::format("s:last raised as {}", model::entry_of(leaf_of(raised.back())).id)] = 1;
  features[is_the_scripts_own(raised.back()) ? "s:last raised by script" : "s:last raised elsewhere"] = 1;
}

std::string_view word_for_role(catalogue::Role role) {
  switch (role) {
    case catalogue::Role::kOrigin:
      return "origin";
    case catalogue::Role::kCascade:
      return "cascade";
    default:
      return "echo";
  }
}

// What an entry says from a line that is no event counts apart.
std::string_view word_for_place(std::optional<LineRole> role) {
  if (!role) return "unread";
  if (is_failure_text(*role)) return "failure";
  switch (*role) {
    case LineRole::kOther:
    case LineRole::kLogWarning:
    case LineRole::kTearDown:
    case LineRole::kLibraryInfo:
    case LineRole::kQuotedSource:
    case LineRole::kProgress:
      return word_for(*role);
    default:
      return tells_of_events(*role) ? "info" : "text";
  }
}

// Where no event is told. What an entry knows from such lines alone is weaker, whatever its strength.
bool is_aside(std::optional<LineRole> role) {
  return role && !tells_of_events(*role) && *role != LineRole::kTearDown && *role != LineRole::kFrame &&
         *role != LineRole::kRaisedFrom;
}

void add_candidates(const Lines& lines, const Observed& observed, Features& features) {
  bool is_first = true;
  for (const Candidate& candidate : observed.candidates) {
    const std::string_view leaf = model::entry_of(candidate.leaf).id;
    const std::string_view kind = word_for_role(candidate.role);
    const auto first = lines.at(candidate.sightings.front()->log, candidate.sightings.front()->line);
    const auto last = lines.at(candidate.sightings.back()->log, candidate.sightings.back()->line);
    const auto role = [&](const std::optional<std::size_t>& at) {
      return at ? std::optional(lines.all()[*at].role) : std::nullopt;
    };
    const std::string_view place = word_for_place(role(last));
    const bool told_aside = is_aside(role(first)) && is_aside(role(last));
    features[fmt::format("s:code {}", candidate.symptom->code)] = 1;
    features[fmt::format("s:code {} {}", candidate.symptom->code, place)] = 1;
    if (candidate.role == catalogue::Role::kOrigin) {
      const std::string_view aside = told_aside ? " aside" : "";
      features[fmt::format("s:leaf {} {}{}", leaf, word_for(candidate.strength), aside)] = 1;
      features[fmt::format("s:place {} {}", word_for(candidate.strength), place)] = 1;
    }
    std::size_t steps_after = 0;
    if (last) {
      const auto own = lines.of_log(*lines.place_of(candidate.sightings.back()->log));
      const auto from = static_cast<std::size_t>(&lines.all()[*last] - own.data());
      steps_after = static_cast<std::size_t>(std::ranges::count_if(
          own.subspan(from + 1), [](const ReadLine& line) { return line.role == LineRole::kProgress; }));
      features[fmt::format("s:from end {} {}", kind, size_of(own.size() - 1 - from))] = 1;
    }
    if (steps_after > 0) features[fmt::format("s:outlived {}", kind)] = 1;
    if (is_first) {
      is_first = false;
      const std::string_view first_kind = told_aside ? "aside" : kind;
      features[fmt::format("s:first {} {}", first_kind, leaf)] = 1;
      features[fmt::format("s:first {} {}", first_kind, word_for(candidate.strength))] = 1;
      features[fmt::format("s:first in {}", word_for_place(role(first)))] = 1;
      if (steps_after > 0) add_reached("s:first outlived", steps_after, 1, features);
      if (candidate.strength >= catalogue::Strength::kStrong && kind == "origin" && !told_aside)
        features[fmt::format("s:first clear {}", leaf)] = 1;
      const bool varies = candidate.variant != nullptr && candidate.variant->scope;
      const model::Scope scope = varies ? *candidate.variant->scope : candidate.symptom->scope;
      features[fmt::format("s:first scope {}", static_cast<int>(scope))] = 1;
      const auto& fixes = candidate.variant != nullptr && !candidate.variant->fixes.empty()
                              ? candidate.variant->fixes
                              : candidate.symptom->fixes;
      for (std::size_t i = 0; i < std::min<std::size_t>(fixes.size(), 3); ++i)
        features[fmt::format("s:fix {} {}", i, model::id_of(fixes[i].pattern))] = 1;
      const std::size_t ranks = candidate.ranks.size();
      if (ranks > 0 && observed.speaking.size() > 1)
        features[ranks == observed.speaking.size() ? "s:first by all" : "s:first by some"] = 1;
    }
  }
  if (observed.candidates.empty()) features["s:no candidate"] = 1;
}

void add_context(const Observed& observed, Features& features) {
  constexpr std::array<std::string_view, 16> kFacts = {
      "horovod", "pytorch", "jax",  "tensorflow", "keras", "mpi",        "nccl",         "gloo",
      "slurm",   "ray",     "fsdp", "deepspeed",  "grpc",  "kubernetes", "grpc_cluster", "distributed"};
  for (const std::string_view fact : kFacts) {
    if (observed.context.knows(fact)) features[fmt::format("s:knows {}", fact)] = 1;
  }
  features[fmt::format("s:stage {}", static_cast<int>(observed.context.furthest_stage()))] = 1;
  if (observed.place) features[fmt::format("s:module {}", model::entry_of(*observed.place).id)] = 1;
  if (observed.sign) features[fmt::format("s:sign {}", observed.sign->code)] = 1;
  if (observed.all_finished) features["s:all finished"] = 1;
  if (observed.sounds_like_failure) features["s:sounds like failure"] = 1;
  std::size_t bytes = 0;
  for (const LogText& log : observed.logs) bytes += log.bytes.size();
  features["s:bytes " + size_of(bytes >> 9)] = 1;
  features["s:ranks " + size_of(observed.speaking.size())] = 1;
}

}  // namespace

Features features_of(const Observed& observed) {
  const Lines lines(observed);
  Features features;
  add_words(lines, observed, features);
  add_course(lines, features);
  add_exceptions(observed.raised, features);
  add_candidates(lines, observed, features);
  add_context(observed, features);
  return features;
}

}  // namespace lockstep::logs
