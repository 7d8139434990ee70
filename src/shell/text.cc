#include "shell/text.h"

#include <algorithm>
#include <cctype>
#include <fnmatch.h>

namespace lockstep::shell {
namespace {

// Each star may try every place: bounded, so that a script cannot make it take years.
constexpr std::size_t kMaxPatternBytes = 64;
constexpr std::ptrdiff_t kMaxStars = 3;
constexpr std::size_t kMaxMatchedBytes = 512;

bool is_mark(char letter) {
  return letter == kOpenPart || letter == kOpenWords || letter == kOpenEnd;
}

std::string marked(char mark, std::string_view written) {
  std::string text(1, mark);
  text += as_written(written);
  text += kOpenEnd;
  return text;
}

}  // namespace

std::string open_part(std::string_view written) {
  return marked(kOpenPart, written);
}

std::string open_words(std::string_view written) {
  return marked(kOpenWords, written);
}

bool is_open(std::string_view text) {
  return std::ranges::any_of(text, is_mark);
}

bool may_be_words(std::string_view text) {
  return text.starts_with(kOpenWords) && text.find(kOpenEnd) == text.size() - 1;
}

std::string as_written(std::string_view text) {
  std::string written(text);
  std::erase_if(written, is_mark);
  return written;
}

std::string without_control_characters(std::string_view text) {
  std::string clean(text);
  std::ranges::replace_if(clean, is_mark, '?');
  std::erase(clean, '\0');
  return clean;
}

std::vector<std::string> split_at_blanks(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool is_inside_open = false;
  const auto end_word = [&] {
    if (word.empty()) return;
    if (word.front() == kOpenPart && word.find(kOpenEnd) == word.size() - 1) word.front() = kOpenWords;
    words.push_back(std::move(word));
    word.clear();
  };
  for (const char letter : text) {
    if (letter == kOpenPart || letter == kOpenWords) is_inside_open = true;
    if (letter == kOpenEnd) is_inside_open = false;
    const bool is_blank = letter == ' ' || letter == '\t' || letter == '\n';
    if (is_blank && !is_inside_open) {
      end_word();
    } else {
      word += letter;
    }
  }
  end_word();
  return words;
}

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

Match matches_pattern(const std::string& pattern, const std::string& text) {
  if (!is_pattern(pattern) && pattern.find('\\') == std::string::npos)
    return pattern == text ? Match::kYes : Match::kNo;
  const bool is_bounded = pattern.size() <= kMaxPatternBytes && text.size() <= kMaxMatchedBytes &&
                          std::ranges::count(pattern, '*') <= kMaxStars;
  const bool is_extended = pattern.find('(') != std::string::npos;
  if (!is_bounded || is_extended) return Match::kUndecided;
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0 ? Match::kYes : Match::kNo;
}

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string_view name_at_start(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return {};
  const auto* const end = std::ranges::find_if_not(text, is_name_letter);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

}  // namespace lockstep::shell
