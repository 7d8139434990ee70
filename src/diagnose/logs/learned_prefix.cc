#include "diagnose/logs/learned_prefix.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text_fields.h"

namespace lockstep::logs {
namespace {

constexpr std::size_t kMostColumns = 5;
constexpr std::size_t kFewestLines = 24;
constexpr double kMostLines = 0.6;  // a prefix stands before this share of the lines at least
constexpr std::string_view kSeparators = " \t[](){}|:,;<>=#";

struct Word {
  Column column;
  std::string_view text;
};

std::vector<Word> first_words(std::string_view line) {
  std::vector<Word> words;
  std::size_t begin = 0;
  while (words.size() < kMostColumns) {
    begin = line.find_first_not_of(kSeparators, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(kSeparators, begin), line.size());
    words.push_back(
        {{words.size(), begin == 0 ? '\0' : line[begin - 1], end == line.size() ? '\0' : line[end]},
         line.substr(begin, end - begin)});
    begin = end;
  }
  return words;
}

std::string_view word_in(std::string_view line, const Column& column) {
  for (const Word& word : first_words(line)) {
    if (word.column == column) return word.text;
  }
  return {};
}

struct Numbered {
  std::string_view stem;
  int number = 0;
};

std::optional<Numbered> numbered(std::string_view word) {
  std::size_t begin = word.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(word[begin - 1])) != 0) --begin;
  const auto number = base::number_in<int>(word.substr(begin));
  constexpr std::size_t kMostDigits = 5;
  if (!number || word.size() - begin > kMostDigits) return std::nullopt;
  return Numbered{word.substr(0, begin), *number};
}

// Ranks take turns: counters, clocks and line numbers only grow.
bool takes_turns(std::span<const int> numbers) {
  std::size_t falls = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i) falls += numbers[i] < numbers[i - 1] ? 1 : 0;
  constexpr std::size_t kOneIn = 10;
  return kOneIn * falls >= numbers.size();
}

// 0 to N-1, each of them again and again.
bool is_ranks(std::span<const int> numbers) {
  const std::set<int> values(numbers.begin(), numbers.end());
  const auto count = static_cast<int>(values.size());
  constexpr std::size_t kTimesEach = 3;
  return count >= 2 && *values.begin() == 0 && *values.rbegin() == count - 1 &&
         numbers.size() >= kTimesEach * values.size() && takes_turns(numbers);
}

std::optional<std::string> stem_of_ranks(std::span<const std::string_view> words) {
  std::optional<std::string_view> stem;
  std::vector<int> numbers;
  for (const std::string_view word : words) {
    const auto parts = numbered(word);
    if (!parts || (stem && *stem != parts->stem)) return std::nullopt;
    stem = parts->stem;
    numbers.push_back(parts->number);
  }
  if (!stem || !is_ranks(numbers)) return std::nullopt;
  return std::string(*stem);
}

bool is_like_host(std::string_view word) {
  const auto is = [&](int (*kind)(int)) {
    return std::ranges::any_of(word, [&](unsigned char c) { return kind(c) != 0; });
  };
  const bool is_address = std::ranges::count(word, '.') == 3 && !is(std::isalpha);
  return (is(std::isdigit) && is(std::islower) && !is(std::isupper) && word.find('/') == word.npos) ||
         is_address;
}

bool is_hosts(std::span<const std::string_view> words) {
  const std::set<std::string_view> values(words.begin(), words.end());
  constexpr std::size_t kTimesEach = 3;
  return values.size() >= 2 && words.size() >= kTimesEach * values.size() &&
         std::ranges::all_of(values, is_like_host);
}

}  // namespace

std::optional<int> LearnedPrefix::rank_of(std::string_view line) const {
  if (!rank) return std::nullopt;
  const auto parts = numbered(word_in(line, *rank));
  return parts && parts->stem == rank_stem ? std::optional(parts->number) : std::nullopt;
}

std::string_view LearnedPrefix::host_of(std::string_view line) const {
  if (!host) return {};
  const std::string_view word = word_in(line, *host);
  return is_like_host(word) ? word : std::string_view();
}

LearnedPrefix learn_prefix(std::span<const std::string_view> lines) {
  LearnedPrefix learned;
  if (lines.size() < kFewestLines) return learned;
  std::map<Column, std::vector<std::string_view>> columns;
  for (const std::string_view line : lines) {
    for (const Word& word : first_words(line)) columns[word.column].push_back(word.text);
  }
  for (const auto& [column, words] : columns) {
    if (static_cast<double>(words.size()) < kMostLines * static_cast<double>(lines.size())) continue;
    if (const auto stem = stem_of_ranks(words); stem && !learned.rank) {
      learned.rank = column;
      learned.rank_stem = *stem;
    } else if (!stem && !learned.host && is_hosts(words)) {
      learned.host = column;
    }
  }
  return learned;
}

}  // namespace lockstep::logs
