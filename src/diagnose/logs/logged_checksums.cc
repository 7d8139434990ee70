#include "diagnose/logs/logged_checksums.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text_search/regex.h"

namespace lockstep::logs {
namespace {

// Of all ranks of a log: the last lines of each are in here.
constexpr std::size_t kChecksumBytes = std::size_t{16} << 10;

struct LastWords {
  std::string checksum;
  std::size_t times = 0;  // a checksum was said
  std::size_t log = 0;
  LineSpan line;
  std::string loss;
};

// "params=3fa9c1d2", "weights sha256: 3f...", "model checksum 3f..."
const base::Regex& checksum() {
  static const base::Regex sum = base::Regex::of_our_own(
      R"(\b((param\w*|weights?)([ _-]?(hash|checksum|digest|sum|md5|sha\d*|crc\d*))?|(model|state)[ _-]?(hash|checksum|digest|md5|sha\d*|crc\d*))[ =:]+(0x)?(?P<sum>[0-9a-f]{8,64})\b)");
  return sum;
}

// A number of parameters has no letters.
std::optional<std::string> checksum_in(std::string_view line) {
  auto found = checksum().capture(line);
  if (!found) return std::nullopt;
  std::string text = std::move((*found)["sum"]);
  if (text.find_first_of("abcdefABCDEF") == std::string::npos) return std::nullopt;
  return text;
}

std::optional<std::string> loss_in(std::string_view line) {
  static const base::Regex loss = base::Regex::of_our_own(R"(\bloss\b[\x27"]?[ :=(]+(?P<value>[\d.e+-]+))");
  auto found = loss.capture(line);
  return found ? std::optional(std::move((*found)["value"])) : std::nullopt;
}

// In one go over each log: hardly any job prints one, and thousands of logs are looked at.
bool has_any_checksum(std::span<const LogText> logs) {
  return std::ranges::any_of(logs, [](const LogText& log) {
    const bool is_there = checksum().found_in(tail_of(log.bytes, kChecksumBytes));
    let_go(log);
    return is_there;
  });
}

std::map<int, LastWords> last_words(std::span<const LogText> logs, const LineSources& sources) {
  std::map<int, LastWords> words;
  for (std::size_t log = 0; log < logs.size(); ++log) {
    for_each_tail_line(logs[log].bytes, kChecksumBytes, [&](std::string_view line, LineSpan span) {
      auto sum = checksum_in(line);
      auto loss = loss_in(line);
      if (!sum && !loss) return;
      const auto rank = logs[log].rank ? logs[log].rank : sources.at(log, span).rank;
      if (!rank) return;
      LastWords& of_rank = words[*rank];
      if (loss) of_rank.loss = *std::move(loss);
      if (!sum) return;
      of_rank.checksum = *std::move(sum);
      of_rank.times += 1;
      of_rank.log = log;
      of_rank.line = span;
    });
    let_go(logs[log]);
  }
  return words;
}

}  // namespace

std::optional<DifferingChecksums> differing_checksums(std::span<const LogText> logs,
                                                      const LineSources& sources) {
  if (!has_any_checksum(logs)) return std::nullopt;
  const std::map<int, LastWords> words = last_words(logs, sources);
  if (words.size() < 2) return std::nullopt;
  std::map<std::string, std::vector<int>> ranks_by_checksum;
  std::set<std::string> losses;
  for (const auto& [rank, said] : words) {
    const bool is_as_far_as_the_first = said.times > 0 && said.times == words.begin()->second.times;
    if (!is_as_far_as_the_first || said.loss.empty()) return std::nullopt;
    ranks_by_checksum[said.checksum].push_back(rank);
    losses.insert(said.loss);
  }
  if (ranks_by_checksum.size() < 2) return std::nullopt;
  const auto place_of = [&](int rank) {
    const LastWords& said = words.at(rank);
    return DifferingChecksums{.log = said.log, .line = said.line, .odd_rank = std::nullopt};
  };
  const bool has_majority = ranks_by_checksum.size() == 2 && words.size() > 2;
  for (const auto& [sum, ranks] : ranks_by_checksum) {
    if (!has_majority || ranks.size() != 1) continue;
    DifferingChecksums odd = place_of(ranks.front());
    odd.odd_rank = ranks.front();
    return odd;
  }
  const bool has_each_its_own = losses.size() == words.size();
  return has_each_its_own ? std::optional(place_of(words.rbegin()->first)) : std::nullopt;
}

}  // namespace lockstep::logs
