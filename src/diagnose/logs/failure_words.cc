#include "diagnose/logs/failure_words.h"

#include <algorithm>

#include "base/text_search/regex.h"
#include "diagnose/logs/line.h"
#include "diagnose/logs/line_role.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;
using catalogue::PatternOwner;
using catalogue::Role;

constexpr std::size_t kFailureWordsWindow = std::size_t{16} << 10;
constexpr std::size_t kLastWords = std::size_t{2} << 10;

bool is_noise(const Catalogue& catalogue, base::PatternScanner& quiet, std::string_view line) {
  bool noise = false;
  quiet.scan(line, [&](unsigned id, std::size_t /*end*/) {
    const PatternOwner& owner = catalogue.owner_of_quiet(id);
    noise = noise || catalogue.symptom(owner.owner).patterns[owner.number].role == Role::kNoise;
  });
  return noise;
}

bool fails_for_sure(std::string_view line) {
  static const base::Regex always = base::Regex::of_our_own(
      R"(Traceback \(most recent|\b\w*(Error|Exception)\b:|\b(fatal|abort(ed|ing)|core dumped|crashed)\b|^E\d{4} )");
  return always.found_in(line);
}

/// What a C++ logger marks as information or warning is not the end of a process, whatever its words.
bool logged_as_mild(std::string_view line) {
  static const base::Regex mild =
      base::Regex::of_our_own(R"(^[IW]\d{4} \S+ +\d+ \S+:\d+\]|: [IW] \w+/\S+:\d+\])");
  return mild.found_in(line);
}

bool may_fail(std::string_view line) {
  static const base::Regex complaint = base::Regex::of_our_own(
      R"((^|[\s\[])error(:|\])|\bfail(ed|ure|s)?\b|\b(cannot|can.t|could not|couldn.t|unable to|lost (communication|connection|contact)|refused|timed out|killed)\b)"
      R"(|\b(is|are|was|were|does|do|did)( not|n.t) (found|supported|available|registered|usable|exist|match)\b)"
      R"(|\b(Type|Value|Key|Index|Runtime|Attribute|Assertion|Import|OS|IO|Memory)Error\b|\bnot (registered|recognized|permitted|divisible)\b)"
      R"(|\b(does|did)( not|n.t) (know|succeed|fit)\b|\brejected because\b|\btoo (big|large|many|few) )"
      R"(|exited (on )?signal|Signal code|NCCL WARN|NCCL INFO \S+:\d+ -> \d|\w_STATUS_(NOT|BAD|INTERNAL|EXEC|ALLOC))"
      R"(|\b(INVALID_ARGUMENT|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|UNAVAILABLE|UNKNOWN|INTERNAL): |: [EF] \w+/|mismatch)");
  return complaint.found_in(line);
}

}  // namespace

bool says_anything(const Catalogue& catalogue, std::span<const LogText> logs) {
  base::PatternScanner quiet(catalogue.quiet());
  for (const LogText& log : logs) {
    bool says = false;
    for_each_tail_line(log.bytes, kFailureWordsWindow, [&](std::string_view line, LineSpan) {
      if (says || line.find_first_not_of(" \t") == std::string_view::npos) return;
      says = true;
      quiet.scan(without_terminal_codes(line), [&](unsigned, std::size_t) { says = false; });
    });
    let_go(log);
    if (says) return true;
  }
  return false;
}

bool goes_on(std::string_view line) {
  static const base::Regex progress = base::Regex::of_our_own(
      R"(\bloss\b|_loss\b|\d(it/s|s/it)|\bepoch\b|\bstep\b[ :=#]*\d|\b(done|finished|completed?|saved)\b|accuracy)");
  return progress.found_in(line);
}

bool sounds_like_failure(const Catalogue& catalogue, std::span<const LogText> logs) {
  base::PatternScanner quiet(catalogue.quiet());
  for (const LogText& log : logs) {
    bool complains = false;
    std::size_t begin = log.bytes.size() - std::min(log.bytes.size(), kFailureWordsWindow);
    while (begin < log.bytes.size()) {
      const std::size_t end = end_of_line(log.bytes, begin);
      const std::string line =
          without_terminal_codes(log.bytes.substr(begin, std::min(end - begin, kLongestLine)));
      begin = end + 1;
      const bool fails = fails_for_sure(line) && !logged_as_mild(line);
      const bool ended_well = !fails && says_it_ended_well(line);
      if (!fails && (goes_on(line) || ended_well)) complains = false;
      if (ended_well) continue;
      const bool may_be_last_word = log.bytes.size() - end <= kLastWords && may_fail(line);
      if ((!fails && !may_be_last_word) || is_noise(catalogue, quiet, line)) continue;
      if (fails) return true;
      complains = true;
    }
    let_go(log);
    if (complains) return true;
  }
  return false;
}

}  // namespace lockstep::logs
