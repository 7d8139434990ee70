#include "config/files/shell_script.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "config/reading.h"

namespace lockstep::config {
namespace {

// Variables that are put into each other double with every line.
constexpr std::size_t kMaxWordBytes = 1 << 16;

bool ends_command(char letter) {
  return letter == '\n' || letter == ';' || letter == '&' || letter == '|' || letter == '(' || letter == ')';
}

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

constexpr std::string_view kKeywords[] = {"if",   "then", "else", "elif", "do",   "while", "until",
                                          "time", "{",    "}",    "!",    "exec", "fi",    "done"};

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return std::ranges::all_of(word.substr(0, equals), [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  });
}

// What Slurm will tell the script of its own request.
const std::pair<std::string_view, FieldPath> kSlurmVariables[] = {
    {"SLURM_NNODES", Fields::kSbatchNodes},
    {"SLURM_JOB_NUM_NODES", Fields::kSbatchNodes},
    {"SLURM_NTASKS", Fields::kSbatchTasks},
    {"SLURM_NPROCS", Fields::kSbatchTasks},
    {"SLURM_NTASKS_PER_NODE", Fields::kSbatchTasksPerNode},
    {"SLURM_CPUS_PER_TASK", Fields::kSbatchCpusPerTask},
    {"SLURM_GPUS_PER_NODE", Fields::kSbatchGpusPerNode},
    {"SLURM_GPUS_ON_NODE", Fields::kSbatchGpusPerNode},
};

std::optional<std::string> value_of(const LaunchConfig& launch, const std::string& name) {
  if (launch.has(Fields::at_run_time(Fields::variable(name))))
    return kOnlyAtRunTime + launch.text(Fields::at_run_time(Fields::variable(name)));
  if (launch.has(Fields::variable(name))) return launch.text(Fields::variable(name));
  for (const auto& [variable, path] : kSlurmVariables) {
    if (variable == name && launch.has(path)) return launch.as_written(path);
  }
  return std::nullopt;
}

// export A=1 B=2; A=1 by itself. The rest, if any, is a command.
std::size_t read_variables(const std::vector<std::string>& words, std::size_t at, const Reading& reading) {
  for (; at < words.size() && is_assignment(words[at]); ++at) {
    const std::size_t equals = words[at].find('=');
    const std::string name = words[at].substr(0, equals);
    reading.put_variable(name, words[at].substr(equals + 1), "variable " + name);
  }
  return at;
}

// A second launcher in a script starts another launch under the same variables.
void begin_launch(const Reading& reading) {
  const FieldPath kOfOneLaunch[] = {Fields::kTorchrun,   Fields::kHorovod,   Fields::kMpi,
                                    Fields::kSrun,       Fields::kDeepspeed, Fields::kAccelerate,
                                    Fields::kContainers, Fields::kProgram};
  LaunchConfig& launch = reading.launch;
  const auto is_there = [&](const FieldPath& section) { return launch.has(section); };
  if (reading.finished == nullptr || !std::ranges::any_of(kOfOneLaunch, is_there)) return;
  reading.finished->push_back(launch);
  for (const FieldPath& section : kOfOneLaunch) {
    launch.erase(section);
    launch.erase(Fields::at_run_time(section));
  }
  launch.erase(Fields::kLaunchers);
  if (launch.has(Fields::kSbatch)) launch.append(Fields::kLaunchers, "sbatch", reading.origin("command"));
}

void read_one(const ShellCommand& command, const Reading& reading) {
  const std::vector<std::string>& words = command.words;
  std::size_t at = 0;
  while (at < words.size() && std::ranges::find(kKeywords, words[at]) != std::end(kKeywords)) ++at;
  if (at == words.size()) return;
  if (words[at] == "export" || words[at] == "declare" || words[at] == "readonly" || words[at] == "local") {
    while (++at < words.size()) {
      if (is_assignment(words[at])) read_variables({words[at]}, 0, reading);
    }
    return;
  }
  if (words[at] == "unset") {
    while (++at < words.size()) reading.launch.erase(Fields::variable(words[at]));
    return;
  }
  at = read_variables(words, at, reading);
  if (at < words.size()) {
    const std::span<const std::string> rest = std::span(words).subspan(at);
    const bool is_job = launchers::find_launcher(rest) || launchers::words_of_wrapper(rest) > 0 ||
                        launchers::is_python(launchers::program_name(rest[0])) || rest[0] == "docker" ||
                        rest[0] == "podman" || rest[0] == "bash" || rest[0] == "sh";
    if (!is_job) return;
    begin_launch(reading);
    Reading inside = reading;
    inside.finished = nullptr;
    read_command(rest, inside);
  }
}

void read_batch_line(std::string_view comment, const Reading& reading) {
  constexpr std::string_view kMark = "#SBATCH";
  if (!comment.starts_with(kMark)) return;
  ShellWords words(comment.substr(kMark.size()), [](const std::string&) { return std::nullopt; });
  auto flags = words.next();
  if (!flags) return;
  Words typed = flags->words;
  const auto note =
      std::ranges::find_if(typed, [](const std::string& word) { return word.starts_with('#'); });
  typed.erase(note, typed.end());
  read_launcher(launchers::kSbatch, typed, reading);
}

void read_text(std::string_view text, const Reading& reading, bool is_file) {
  if (reading.depth > kMaxReadingDepth) return;
  ShellWords words(text, [&](const std::string& name) { return value_of(reading.launch, name); });
  while (const auto command = words.next()) {
    Reading here = reading;
    if (is_file) here.place.line = command->line;
    if (command->words.front().starts_with('#')) {
      read_batch_line(command->words.front(), here);
    } else {
      read_one(*command, here);
    }
  }
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
  const bool fits = value && word.size() + value->size() <= kMaxWordBytes;
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

void read_shell_script(std::string_view text, const Reading& reading) {
  read_text(text, reading, true);
}

void read_shell_commands(std::string_view text, const Reading& reading) {
  read_text(text, reading, false);
}

}  // namespace lockstep::config
