// Shell scripts: the variables they set, the launchers they call, and Slurm's #SBATCH lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/reading.h"

namespace lockstep::config {

// A simple command of a shell's text, with the quotes taken off and variables that are known put in.
struct ShellCommand {
  std::int64_t line = 0;  // of its first word
  std::vector<std::string> words;
};

// The value of a variable, if it is known.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

// Takes commands off the front of a text, one at a time, so that each sees the variables that the ones before
// it set. What only the running shell knows stays as it is written, after kOnlyAtRunTime.
class ShellWords {
 public:
  ShellWords(std::string_view text, Lookup lookup) : text_(text), lookup_(std::move(lookup)) {}

  // None at the end. A comment line comes as one word that begins with '#'.
  std::optional<ShellCommand> next();

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_blanks();
  void skip_here_document();
  std::string take_word();
  void take_single_quoted(std::string& word);
  void take_double_quoted(std::string& word);
  void take_dollar(std::string& word);
  void take_nested(std::string& word, char open, char close);
  void take_backquoted(std::string& word);
  void put_variable(const std::string& expression, std::string& word);

  std::string_view text_;
  Lookup lookup_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  std::string here_document_end_;
};

// A file: `reading.place.file` is its name.
void read_shell_script(std::string_view text, const Reading& reading);

// The text behind `bash -c`, all on one line of the file.
void read_shell_commands(std::string_view text, const Reading& reading);

}  // namespace lockstep::config
