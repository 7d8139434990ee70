#include <algorithm>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "config/files/shell_script.h"
#include "config/reading.h"
#include "launchers/launcher.h"

namespace lockstep::config {
namespace {

using launchers::find_launcher;
using launchers::flag_name;
using launchers::kDockerRunFlags;
using launchers::kSbatch;
using launchers::program_name;
using launchers::split_command;
using launchers::TypedFlag;
using launchers::words_of_wrapper;

// -x NAME, -x NAME=VALUE, -genv NAME VALUE: the ranks get the variable.
void export_variable(const TypedFlag& flag, const Reading& reading) {
  const std::string& first = flag.values.front();
  const std::size_t equals = first.find('=');
  const std::string name = first.substr(0, equals);
  const std::string how = fmt::format("flag {}", flag.words.front());
  reading.launch.append(Fields::kMpiExported, name, reading.origin(how));
  if (flag.values.size() == 2) reading.put_variable(name, flag.values[1], how);
  if (equals != std::string::npos) reading.put_variable(name, first.substr(equals + 1), how);
}

bool is_mca(std::string_view name) {
  return name == "mca" || name == "gmca" || name == "omca" || name == "prtemca" || name == "pmixmca";
}

void read_flag(const Launcher& launcher, const TypedFlag& flag, const Reading& reading) {
  const bool is_mpi = launcher.section == "mpi";
  if (is_mpi && is_mca(flag.name)) {
    reading.put(Fields::mpi_parameter(flag.values[0]), flag.values[1],
                fmt::format("flag --mca {}", flag.values[0]));
    return;
  }
  if (is_mpi && (flag.name == "x" || flag.name == "genv" || flag.name == "env")) {
    export_variable(flag, reading);
    return;
  }
  const std::string name = flag_name(launcher, flag.name);
  const std::string typed = flag.words.front();
  const std::string how = fmt::format("flag {}", typed.substr(0, typed.find('=')));
  if (flag.values.empty()) {
    reading.launch.set(Fields::flag(launcher, name), true, reading.origin(how));
  } else {
    reading.put(Fields::flag(launcher, name), flag.values.front(), how);
  }
}

std::string docker_flag_name(const std::string& name) {
  if (name == "e") return "env";
  if (name == "net") return "network";
  if (name == "h") return "hostname";
  if (name == "p") return "publish";
  return name;
}

void read_variable(const std::string& text, const Reading& reading) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return;  // handed on from the environment, where it already is
  reading.put_variable(text.substr(0, equals), text.substr(equals + 1), "flag -e");
}

// memlock=-1:-1
void read_limit(const NamedField<Group>& container, const std::string& text, const Reading& reading) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return;
  const std::string value = text.substr(equals + 1);
  reading.put(Fields::entry(container.at(Fields::Container::kLimits), text.substr(0, equals)),
              value.substr(0, value.find(':')), "flag --ulimit");
}

void read_docker_flag(const NamedField<Group>& container, const TypedFlag& flag, const Reading& reading) {
  const std::string name = docker_flag_name(flag.name);
  const std::string how = "flag " + flag.words.front().substr(0, flag.words.front().find('='));
  if (name == "env") return read_variable(flag.values.front(), reading);
  if (name == "ulimit") return read_limit(container, flag.values.front(), reading);
  if (name == "shm_size") {
    if (const auto size = size_in_bytes(flag.values.front()))
      reading.launch.set(container.at(Fields::Container::kSharedMemoryBytes), *size, reading.origin(how));
    return;
  }
  const auto field = Fields::container_flag(container, name);
  const bool is_list = name == "device" || name == "cap_add" || name == "publish";
  if (is_list) {
    reading.launch.append(field, flag.values.front(), reading.origin(how));
  } else if (flag.values.empty()) {
    reading.launch.set(field, true, reading.origin(how));
  } else {
    reading.put(field, flag.values.front(), how);
  }
}

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
  reading.launch.set(Fields::kProgramWords, program, reading.origin("command"));
  const auto is_script = [](const std::string& word) { return word.ends_with(".py"); };
  const auto script = std::ranges::find_if(words.begin(), words.end(), is_script);
  if (script != words.end()) reading.put(Fields::kProgramScript, *script, "command");
}

}  // namespace

Words read_launcher(const Launcher& launcher, std::span<const std::string> words, const Reading& reading) {
  const auto section = Fields::section_of(launcher);
  if (!reading.launch.has(section)) {
    reading.launch.append(Fields::kLaunchers, std::string(launcher.section), reading.origin("command"));
    reading.launch.set(section, base::Json::object(), reading.origin("command"));
  }
  auto split = split_command(words, *launcher.table);
  if (!split.ok()) {
    reading.fault(fmt::format("{}: {}", split.error().where, split.error().why));
    return {};
  }
  for (const TypedFlag& flag : split.value().flags) read_flag(launcher, flag, reading);
  return std::move(split.value().program);
}

std::optional<std::int64_t> size_in_bytes(std::string_view text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  const auto number = base::number_in<std::int64_t>(digits);
  if (!number) return std::nullopt;
  const std::string_view unit = text.substr(digits.size());
  int shift = 0;
  if (unit.starts_with('k') || unit.starts_with('K')) shift = 10;
  if (unit.starts_with('m') || unit.starts_with('M')) shift = 20;
  if (unit.starts_with('g') || unit.starts_with('G')) shift = 30;
  if (unit.starts_with('t') || unit.starts_with('T')) shift = 40;
  if (*number > (std::int64_t{1} << 20)) return shift == 0 ? number : std::nullopt;
  return *number << shift;
}

Words read_docker_run(std::span<const std::string> words, const Reading& reading) {
  const auto run = std::ranges::find(words.begin(), words.end(), "run");
  if (run == words.end()) return {};
  const auto split =
      split_command(words.subspan(static_cast<std::size_t>(run - words.begin()) + 1), kDockerRunFlags);
  if (!split.ok()) {
    reading.fault(fmt::format("{}: {}", split.error().where, split.error().why));
    return {};
  }
  const auto container = reading.launch.append_group(Fields::kContainers, reading.origin("command"));
  for (const TypedFlag& flag : split.value().flags) read_docker_flag(container, flag, reading);
  const Words& program = split.value().program;
  if (program.empty()) return {};
  reading.put(container.at(Fields::Container::kImage), program.front(), "command");
  return Words(program.begin() + 1, program.end());
}

void read_command(std::span<const std::string> words, const Reading& reading) {
  if (reading.depth > kMaxReadingDepth) return;
  words = words.subspan(read_assignments(words, reading));
  if (words.empty()) return;
  Reading inside = reading;
  ++inside.depth;
  if (const auto found = find_launcher(words)) {
    read_command(read_launcher(*found->launcher, words.subspan(found->head), inside), inside);
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
    const Words inner = read_launcher(kSbatch, words.subspan(1), inside);
    if (!inner.empty()) read_script_file(inner.front(), inside);
  } else if (is_shell(program)) {
    read_shell(words, inside);
  } else if (program.ends_with(".sh")) {
    read_script_file(words.front(), inside);
  } else {
    read_program(words, reading);
  }
}

void Reading::put(const FieldPath& field, std::string text, std::string how) const {
  if (text.find(kOnlyAtRunTime) == std::string::npos) {
    launch.erase(Fields::at_run_time(field));
    launch.set(field, std::move(text), origin(std::move(how)));
    return;
  }
  launch.erase(field);
  std::erase(text, kOnlyAtRunTime);
  launch.set(Fields::at_run_time(field), std::move(text), origin(std::move(how)));
}

void Reading::put_variable(std::string_view name, std::string text, std::string how) const {
  put(Fields::variable(name), std::move(text), std::move(how));
}

}  // namespace lockstep::config
