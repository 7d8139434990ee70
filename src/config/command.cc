#include "config/command.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/files/shell_script.h"
#include "config/launchers/docker.h"
#include "config/launchers/find.h"
#include "config/launchers/read_flags.h"

namespace lockstep::config {
namespace {

bool is_shell(std::string_view program) {
  return program == "bash" || program == "sh" || program == "zsh" || program == "dash";
}

// env A=1 B=2, or A=1 B=2 before the command as a shell takes it.
std::size_t read_assignments(std::span<const std::string> words, const Reading& reading) {
  std::size_t at = 0;
  for (; at < words.size(); ++at) {
    const std::size_t equals = words[at].find('=');
    if (words[at].starts_with('-') || equals == std::string::npos || equals == 0) break;
    const std::string name = words[at].substr(0, equals);
    reading.put_variable(name, words[at].substr(equals + 1), "variable " + name);
  }
  return at;
}

void read_script_file(const std::string& path, const Reading& reading) {
  if (path.find(kOnlyAtRunTime) != std::string::npos) return;
  const auto text = reading.read_file(path);
  if (!text.ok()) return;  // a program of another kind, or one that is not here: nothing to read
  Reading inside = reading;
  inside.place = {path, std::nullopt, ""};
  ++inside.depth;
  read_shell_script(text.value(), inside);
}

// bash -c TEXT, bash FILE.
void read_shell(std::span<const std::string> words, const Reading& reading) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word.starts_with('-')) {
      const bool is_text = word.ends_with('c') && !word.starts_with("--");
      if (!is_text) continue;
      if (at + 1 == words.size()) return;
      Reading inside = reading;
      ++inside.depth;
      read_shell_commands(words[at + 1], inside);
      return;
    }
    read_script_file(word, reading);
    return;
  }
}

void read_program(std::span<const std::string> words, const Reading& reading) {
  base::Json program = base::Json::array();
  for (const std::string& word : words) program.push_back(word);
  reading.settings.set(field::kProgramWords, program, reading.origin("command"));
  const auto is_script = [](const std::string& word) { return word.ends_with(".py"); };
  const auto script = std::ranges::find_if(words.begin(), words.end(), is_script);
  if (script != words.end()) reading.put(field::kProgramScript, *script, "command");
}

}  // namespace

void read_command(std::span<const std::string> words, const Reading& reading) {
  if (reading.depth > kDeepestReading) return;
  words = words.subspan(read_assignments(words, reading));
  if (words.empty()) return;
  Reading inside = reading;
  ++inside.depth;
  if (const auto found = find_launcher(words)) {
    read_command(read_launcher(found->kind, words.subspan(found->head), inside), inside);
    return;
  }
  const std::string program = program_name(words.front());
  if (const std::size_t end = words_of_wrapper(words); end > 0) {
    if (program == "env") {
      for (const std::string& word : words.subspan(1, end - 1)) read_assignments({&word, 1}, reading);
    }
    read_command(words.subspan(end), inside);
  } else if (program == "docker" || program == "podman" || program == "nerdctl") {
    const Words inner = read_docker_run(words.subspan(1), inside);
    read_command(inner, inside);
  } else if (program == "sbatch") {
    const Words inner = read_launcher_words(kSbatch, words.subspan(1), inside);
    if (!inner.empty()) read_script_file(inner.front(), inside);
  } else if (is_shell(program)) {
    read_shell(words, inside);
  } else if (program.ends_with(".sh")) {
    read_script_file(words.front(), inside);
  } else {
    read_program(words, reading);
  }
}

}  // namespace lockstep::config
