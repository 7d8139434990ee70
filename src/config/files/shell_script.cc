#include "config/files/shell_script.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "config/command.h"
#include "config/files/shell_words.h"

namespace lockstep::config {
namespace {

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
constexpr std::pair<std::string_view, std::string_view> kSlurmVariables[] = {
    {"SLURM_NNODES", field::kSbatchNodes},
    {"SLURM_JOB_NUM_NODES", field::kSbatchNodes},
    {"SLURM_NTASKS", field::kSbatchTasks},
    {"SLURM_NPROCS", field::kSbatchTasks},
    {"SLURM_NTASKS_PER_NODE", field::kSbatchTasksPerNode},
    {"SLURM_CPUS_PER_TASK", field::kSbatchCpusPerTask},
    {"SLURM_GPUS_PER_NODE", field::kSbatchGpusPerNode},
    {"SLURM_GPUS_ON_NODE", field::kSbatchGpusPerNode},
};

std::optional<std::string> value_of(const Settings& settings, const std::string& name) {
  if (settings.has(field::at_run_time(field::variable(name))))
    return kOnlyAtRunTime + settings.text(field::at_run_time(field::variable(name)));
  if (settings.has(field::variable(name))) return settings.text(field::variable(name));
  for (const auto& [variable, path] : kSlurmVariables) {
    if (variable == name && settings.has(path)) return settings.text(path);
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
  constexpr std::string_view kOfOneLaunch[] = {field::kTorchrun,   field::kHorovod,   field::kMpi,
                                               field::kSrun,       field::kDeepspeed, field::kAccelerate,
                                               field::kContainers, field::kProgram};
  Settings& settings = reading.settings;
  const auto is_there = [&](std::string_view section) { return settings.has(section); };
  if (reading.finished == nullptr || !std::ranges::any_of(kOfOneLaunch, is_there)) return;
  reading.finished->push_back(settings);
  for (const std::string_view section : kOfOneLaunch) {
    settings.erase(section);
    settings.erase(field::at_run_time(section));
  }
  settings.erase(field::kLaunchers);
  if (settings.has(field::kSbatch)) settings.append(field::kLaunchers, "sbatch", reading.origin("command"));
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
    while (++at < words.size()) reading.settings.erase(field::variable(words[at]));
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
  if (reading.depth > kDeepestReading) return;
  ShellWords words(text, [&](const std::string& name) { return value_of(reading.settings, name); });
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

void read_shell_script(std::string_view text, const Reading& reading) {
  read_text(text, reading, true);
}

void read_shell_commands(std::string_view text, const Reading& reading) {
  read_text(text, reading, false);
}

}  // namespace lockstep::config
