// What a command starts: launchers, wrappers, containers and shells inside each other, down to the program.
#include <algorithm>

#include <fmt/format.h>

#include "config/files/shell_script.h"
#include "config/reading.h"
#include "launchers/launcher.h"

namespace lockstep::config {
namespace {

using launchers::find_launcher;
using launchers::is_shell;
using launchers::kSbatch;
using launchers::program_name;
using launchers::words_of_carrier;
using launchers::words_of_wrapper;

bool is_script(std::string_view name) {
  return name.ends_with(".sh") || name.ends_with(".sbatch") || name.ends_with(".slurm") ||
         name.ends_with(".bash");
}

bool is_container_program(std::string_view program) {
  return program == "docker" || program == "podman" || program == "nerdctl";
}

// A=1 B=2 before a command.
std::size_t read_assignments(const CommandLine& line, const Reading& reading) {
  std::size_t at = 0;
  for (; at < line.size(); ++at) {
    const std::size_t equals = line[at].find('=');
    if (line[at].starts_with('-') || equals == std::string::npos || equals == 0 ||
        shell::name_at_start(line[at]).size() != equals)
      break;
    const std::string name = line[at].substr(0, equals);
    const std::string value = line[at].substr(equals + 1);
    reading.put_variable(name, value, line.origin(at, value, reading.origin("variable " + name)));
  }
  return at;
}

void read_program(const CommandLine& line, const Reading& reading) {
  base::Json program = base::Json::array();
  for (const std::string& word : line.words()) program.push_back(shell::as_written(word));
  reading.launch.set(Fields::kProgramWords, program, line.origin(0, "", reading.origin("command")));
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!line[at].ends_with(".py")) continue;
    reading.put(Fields::kProgramScript, line[at], line.origin(at, line[at], reading.origin("command")));
    break;
  }
}

// What runs on another machine or in another file system has none of the variables here.
void leave_variables_behind(const Reading& reading) {
  reading.launch.erase(Fields::kVariables);
  reading.launch.erase(Fields::at_run_time(Fields::kVariables));
}

// bash -c TEXT, bash FILE, bash <<EOF.
void read_shell(const CommandLine& line, const Reading& reading, const std::optional<std::string>& input) {
  const auto arguments_from = [&](std::size_t first) -> std::optional<std::vector<shell::Word>> {
    std::vector<shell::Word> arguments;
    for (std::size_t at = first; at < line.size(); ++at) {
      if (shell::may_be_words(line[at])) return std::nullopt;
      arguments.push_back(line.word(at));
    }
    return arguments;
  };
  for (std::size_t at = 1; at < line.size(); ++at) {
    const std::string& word = line[at];
    if (word.starts_with('-') || word.starts_with('+')) {
      const bool is_text = word.ends_with('c') && !word.starts_with("--");
      if (word == "-o" || word == "-O" || word == "--rcfile" || word == "--init-file") ++at;
      if (!is_text) continue;
      if (at + 1 == line.size()) return;
      read_shell_text({line[at + 1], {}, arguments_from(at + 3)}, line.word(at + 1).place, reading);
      return;
    }
    read_script_file(word, arguments_from(at + 1), reading);
    return;
  }
  if (input) read_shell_text({*input, {}, std::nullopt}, line.word(0).place, reading);
}

// ssh HOST COMMAND...: the words become one text for a shell there.
void read_ssh(const CommandLine& line, const Reading& reading, const std::optional<std::string>& input) {
  constexpr std::string_view kWithValue = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w ";
  std::size_t at = 1;
  while (at < line.size() && line[at].starts_with('-'))
    at += kWithValue.find(line[at] + " ") != std::string_view::npos ? 2 : 1;
  if (at >= line.size()) return;
  std::string text;
  for (std::size_t word = at + 1; word < line.size(); ++word) text += (text.empty() ? "" : " ") + line[word];
  leave_variables_behind(reading);
  if (text.empty() && !input) return;
  Reading there = reading;
  there.knows_caller = false;
  read_shell_text({text.empty() ? *input : text, {}, std::vector<shell::Word>{}}, line.word(at).place, there);
}

void read_sbatch(const CommandLine& line, const Reading& reading, const std::optional<std::string>& input) {
  Reading job = reading;
  job.knows_caller = false;
  const CommandLine script = read_launcher(kSbatch, line.from(1), job);
  const std::string wrapped = reading.launch.text(Fields::kSbatchWrapped);
  if (!wrapped.empty()) {
    read_shell_text({wrapped, {}, std::nullopt}, line.word(0).place, job);
  } else if (!script.empty()) {
    std::vector<shell::Word> arguments;
    for (std::size_t at = 1; at < script.size(); ++at) arguments.push_back(script.word(at));
    read_script_file(script.front(), arguments, job);
  } else if (input) {
    read_shell_text({*input, {}, std::vector<shell::Word>{}}, line.word(0).place, job);
  }
}

// What a program that is no launcher starts behind itself.
bool read_behind(const CommandLine& line, const Reading& reading, const std::optional<std::string>& input) {
  const std::string program = program_name(line.front());
  if (const std::size_t end = words_of_wrapper(line.words()); end > 0) {
    if (program == "env") {
      for (std::size_t at = 1; at < end; ++at) read_assignments(line.from(at).first(1), reading);
    }
    read_command(line.from(end), reading, input);
  } else if (is_container_program(program) && std::ranges::find(line.words(), "run") != line.words().end()) {
    Reading inside = reading;
    inside.knows_caller = false;
    const CommandLine inner = read_docker_run(line.from(1), inside);
    if (!inner.empty()) read_command(inner, inside, input);
  } else if (program == "sbatch") {
    read_sbatch(line, reading, input);
  } else if (program == "ssh") {
    read_ssh(line, reading, input);
  } else if (is_shell(program)) {
    read_shell(line, reading, input);
  } else if (is_script(program)) {
    std::vector<shell::Word> arguments;
    for (std::size_t at = 1; at < line.size(); ++at) arguments.push_back(line.word(at));
    read_script_file(line.front(), arguments, reading);
  } else if (const auto unread = launchers::unread_launcher(line.words())) {
    reading.launch.append(Fields::kLaunchers, *unread, line.origin(0, "", reading.origin("command")));
    reading.launch.set(Fields::kUnreadLauncher, *unread, line.origin(0, "", reading.origin("command")));
    reading.fault(fmt::format(
        "{} is not a launcher that Lockstep reads: how many ranks it starts, and where, is open", *unread));
    if (const std::size_t inner = words_of_carrier(line.words()); inner > 0)
      read_command(line.from(inner), reading, input);
  } else if (const std::size_t inner = words_of_carrier(line.words()); inner > 0) {
    Reading inside = reading;
    if (is_container_program(program) || program == "kubectl" || program == "enroot") {
      leave_variables_behind(reading);
      inside.knows_caller = false;
    }
    read_command(line.from(inner), inside, input);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool may_start_ranks(std::span<const std::string> words) {
  if (words.empty()) return false;
  const std::string program = program_name(words.front());
  return find_launcher(words) || words_of_wrapper(words) > 0 || words_of_carrier(words) > 0 ||
         launchers::unread_launcher(words) || launchers::is_python(program) || is_shell(program) ||
         is_script(program) || is_container_program(program) || program == "sbatch" || program == "ssh";
}

void read_command(const CommandLine& given, const Reading& reading, const std::optional<std::string>& input) {
  if (reading.depth > kMaxReadingDepth) return;
  const CommandLine line = given.from(read_assignments(given, reading));
  if (line.empty()) return;
  Reading inside = reading;
  ++inside.depth;
  if (const auto found = find_launcher(line.words())) {
    Reading behind = inside;
    behind.knows_caller = false;  // it sets variables of its own
    const CommandLine program = read_launcher(*found->launcher, line.from(found->head), inside);
    if (!program.empty()) read_command(program, behind, input);
  } else if (!read_behind(line, inside, input)) {
    read_program(line, reading);
  }
}

void Reading::put(const FieldPath& field, std::string text, const Origin& origin) const {
  if (!shell::is_open(text)) {
    launch.erase(Fields::at_run_time(field));
    launch.set(field, std::move(text), origin);
    return;
  }
  launch.erase(field);
  launch.set(Fields::at_run_time(field), shell::as_written(text), origin);
}

void Reading::put_variable(std::string_view name, std::string text, const Origin& origin) const {
  put(Fields::variable(name), std::move(text), origin);
}

void Reading::leave_open(const FieldPath& section, std::string_view as_written) const {
  launch.set(Fields::open(section), shell::as_written(as_written), origin("command"));
}

Result<std::string> Reading::text_of(const std::string& path) const {
  if (written != nullptr) {
    if (const auto found = written->find(path); found != written->end() && !shell::is_open(found->second))
      return found->second;
  }
  constexpr int kMaxFilesRead = 200;
  if (++all.files_read > kMaxFilesRead)
    return Error{"cannot read", path, "too many files name each other", ""};
  return all.read_file(path);
}

}  // namespace lockstep::config
