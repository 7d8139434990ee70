#include "config/files/shell_words.h"

#include <algorithm>
#include <cctype>

#include "base/text_fields.h"
#include "config/reading.h"

namespace lockstep::config {
namespace {

// Variables that are put into each other double with every line.
constexpr std::size_t kLongestWord = 1 << 16;

bool ends_command(char letter) {
  return letter == '\n' || letter == ';' || letter == '&' || letter == '|' || letter == '(' || letter == ')';
}

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

}  // namespace

void ShellWords::skip_blanks() {
  while (!at_end()) {
    if (peek() == '\\' && peek(1) == '\n') {
      at_ += 2;
      ++line_;
    } else if (peek() == '\\' && peek(1) == '\r' && peek(2) == '\n') {
      at_ += 3;
      ++line_;
    } else if (peek() == ' ' || peek() == '\t' || peek() == '\r') {
      ++at_;
    } else {
      return;
    }
  }
}

// After the line that names its end.
void ShellWords::skip_here_document() {
  while (!at_end()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = base::trimmed(text_.substr(at_, end - at_));
    at_ = std::min(end + 1, text_.size());
    ++line_;
    if (line == here_document_end_) break;
  }
  here_document_end_.clear();
}

void ShellWords::take_single_quoted(std::string& word) {
  for (++at_; !at_end() && peek() != '\''; ++at_) {
    line_ += peek() == '\n' ? 1 : 0;
    word += peek();
  }
  ++at_;
}

void ShellWords::take_double_quoted(std::string& word) {
  ++at_;
  while (!at_end() && peek() != '"') {
    if (peek() == '\\' && at_ + 1 < text_.size()) {
      const char next = peek(1);
      if (next == '\n') {
        ++line_;
      } else {
        if (next != '"' && next != '\\' && next != '$' && next != '`') word += '\\';
        word += next;
      }
      at_ += 2;
    } else if (peek() == '$') {
      take_dollar(word);
    } else if (peek() == '`') {
      take_backquoted(word);
    } else {
      line_ += peek() == '\n' ? 1 : 0;
      word += text_[at_++];
    }
  }
  ++at_;
}

void ShellWords::take_nested(std::string& word, char open, char close) {
  int depth = 0;
  while (!at_end()) {
    const char letter = text_[at_++];
    line_ += letter == '\n' ? 1 : 0;
    word += letter;
    depth += letter == open ? 1 : 0;
    depth -= letter == close ? 1 : 0;
    if (depth == 0) return;
  }
}

void ShellWords::take_backquoted(std::string& word) {
  word += kOnlyAtRunTime;
  word += text_[at_++];
  while (!at_end() && peek() != '`') {
    line_ += peek() == '\n' ? 1 : 0;
    word += text_[at_++];
  }
  if (!at_end()) word += text_[at_++];
}

// NAME, NAME:-DEFAULT, NAME-DEFAULT, NAME:=DEFAULT.
void ShellWords::put_variable(const std::string& expression, std::string& word) {
  const auto end = std::ranges::find_if_not(expression, is_name_letter);
  const std::string name(expression.begin(), end);
  const std::string rest(end, expression.end());
  const auto value = lookup_(name);
  const bool fits = value && word.size() + value->size() <= kLongestWord;
  if (fits && (rest.empty() || rest.find('-') <= 1 || rest.find('=') <= 1)) {
    word += *value;
    return;
  }
  for (const char* mark : {":-", "-", ":="}) {
    if (!rest.starts_with(mark)) continue;
    const std::string fallback = rest.substr(std::string_view(mark).size());
    if (fallback.find('$') == std::string::npos && fallback.find('`') == std::string::npos) {
      word += fallback;
      return;
    }
  }
  word += kOnlyAtRunTime;
  word += rest.empty() ? "$" + name : "${" + expression + "}";
}

void ShellWords::take_dollar(std::string& word) {
  if (peek(1) == '(') {
    word += kOnlyAtRunTime;
    word += text_[at_++];
    take_nested(word, '(', ')');
  } else if (peek(1) == '{') {
    std::string braced;
    ++at_;
    take_nested(braced, '{', '}');
    put_variable(braced.size() >= 2 ? braced.substr(1, braced.size() - 2) : "", word);
  } else if (is_name_letter(peek(1))) {
    std::string name;
    for (++at_; !at_end() && is_name_letter(peek()); ++at_) name += peek();
    put_variable(name, word);
  } else {
    word += text_[at_++];
  }
}

std::string ShellWords::take_word() {
  std::string word;
  while (!at_end() && !ends_command(peek()) && peek() != ' ' && peek() != '\t' && peek() != '\r') {
    if (peek() == '\'') {
      take_single_quoted(word);
    } else if (peek() == '"') {
      take_double_quoted(word);
    } else if (peek() == '$') {
      take_dollar(word);
    } else if (peek() == '`') {
      take_backquoted(word);
    } else if (peek() == '\\') {
      if (peek(1) == '\n') break;
      ++at_;
      if (!at_end()) word += text_[at_++];
    } else {
      word += text_[at_++];
    }
  }
  return word;
}

std::optional<ShellCommand> ShellWords::next() {
  ShellCommand command;
  while (!at_end()) {
    skip_blanks();
    if (at_end()) break;
    if (peek() == '#') {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string comment(text_.substr(at_, end - at_));
      if (command.words.empty()) {
        at_ = end;
        return ShellCommand{line_, {comment}};
      }
      at_ = end;
      continue;
    }
    if (ends_command(peek())) {
      const bool is_line_end = text_[at_++] == '\n';
      line_ += is_line_end ? 1 : 0;
      if (is_line_end && !here_document_end_.empty()) skip_here_document();
      if (!command.words.empty()) return command;
      continue;
    }
    if (command.words.empty()) command.line = line_;
    const bool is_here_document = peek() == '<' && peek(1) == '<' && peek(2) != '<';
    if (is_here_document) {
      at_ += peek(2) == '-' ? 3 : 2;
      skip_blanks();
      here_document_end_ = take_word();
      continue;
    }
    command.words.push_back(take_word());
  }
  if (command.words.empty()) return std::nullopt;
  return command;
}

}  // namespace lockstep::config
