#include "diagnose/logs/words.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace lockstep::logs {
namespace {

constexpr std::size_t kLongestWord = 30;
constexpr std::size_t kLongestText = 600;  // of one line
// Of all lines together: more hardly changes an answer, and counting parts of words takes 1 ms for each 10
// KB.
constexpr std::size_t kMostText = std::size_t{24} << 10;

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_capital(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string lower_word(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

// Lower case; one 0 for each number, one ~ for what is no ASCII.
std::string plain_text(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    const char next = !is_ascii     ? '~'
                      : is_digit(c) ? '0'
                                    : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool repeats = (next == '~' || next == '0') && !plain.empty() && plain.back() == next;
    if (!repeats) plain += next;
  }
  return plain;
}

}  // namespace

void FailureWords::add(std::string_view text, std::string_view channel, bool with_pairs) {
  text = text.substr(0, kLongestText);
  std::string before;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (is_letter(text[i]) || text[i] == '_')) continue;
    if (i > begin) add_name(text.substr(begin, i - begin), channel, with_pairs, before);
    if (i < text.size() && is_digit(text[i])) {
      std::size_t end = i;
      while (end < text.size() && is_digit(text[end])) ++end;
      if (with_pairs && end - i <= 3 && !before.empty())
        put(channel, before + " " + std::string(text.substr(i, end - i)));
      i = end - 1;
    }
    begin = i + 1;
  }
}

void FailureWords::put(std::string_view channel, const std::string& word) {
  features_[fmt::format("{}:{}", channel, word)] = 1;
}

void FailureWords::add_name(std::string_view name, std::string_view channel, bool with_pairs,
                            std::string& before) {
  if (name.size() < 2 || name.size() > 2 * kLongestWord) return;
  std::string word = lower_word(name);
  put(channel, word);
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const bool ends_by_case = i > begin && i < name.size() && is_capital(name[i]) &&
                              (!is_capital(name[i - 1]) ||
                               (i + 1 < name.size() && is_letter(name[i + 1]) && !is_capital(name[i + 1])));
    if (i < name.size() && name[i] != '_' && !ends_by_case) continue;
    if (i - begin >= 3 && i - begin < name.size()) put(channel, lower_word(name.substr(begin, i - begin)));
    begin = i < name.size() && name[i] == '_' ? i + 1 : i;
  }
  if (with_pairs && !before.empty()) put(channel, before + " " + word);
  before = std::move(word);
}

void WholeText::add(std::string_view line) {
  if (bytes_ >= kMostText) return;
  line = line.substr(0, kLongestText);
  bytes_ += line.size();
  const std::string plain = plain_text(line);
  add_words(plain);
  add_parts(plain);
}

void WholeText::add_words(std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (is_letter(text[i]) || text[i] == '_')) continue;
    if (i >= begin + 2) {
      std::string word(text.substr(begin, std::min(i - begin, 2 * kLongestWord)));
      ++counts_["u:" + word];
      if (!before_.empty()) ++counts_[fmt::format("u:{} {}", before_, word)];
      before_ = std::move(word);
    }
    begin = i + 1;
  }
}

// Three to five characters within one word, of which the blanks around it are part.
void WholeText::add_parts(std::string_view text) {
  constexpr std::size_t kShortest = 3;
  constexpr std::size_t kLongest = 5;
  std::string word;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && !is_blank(text[end])) ++end;
    if (end > begin) {
      word = fmt::format(" {} ", text.substr(begin, end - begin));
      for (std::size_t length = kShortest; length <= std::min(kLongest, word.size()); ++length) {
        for (std::size_t at = 0; at + length <= word.size(); ++at) ++counts_["c:" + word.substr(at, length)];
      }
    }
    begin = end + 1;
  }
}

void WholeText::put_into(Features& features) const {
  for (const auto& [name, count] : counts_) features[name] = 1 + std::log(static_cast<float>(count));
}

}  // namespace lockstep::logs
