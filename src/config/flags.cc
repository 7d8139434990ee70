// Launchers' and containers' flags become values of the launch.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text_fields.h"
#include "config/reading.h"
#include "launchers/launcher.h"

namespace lockstep::config {
namespace {

using launchers::find_launcher;
using launchers::flag_name;
using launchers::kDockerRunFlags;
using launchers::program_name;
using launchers::SplitCommand;
using launchers::TypedFlag;

bool begins_program(std::span<const std::string> words) {
  const std::string& first = words.front();
  return may_start_ranks(words) || first.ends_with(".py") || first.starts_with("./") ||
         first.starts_with('/');
}

constexpr launchers::WordQuestions kQuestions{.may_be_words = shell::may_be_words,
                                              .begins_program = begins_program};

// A flag where it was typed.
struct PlacedFlag {
  const TypedFlag& flag;
  const CommandLine& line;

  std::string typed() const {
    const std::string& word = flag.words.front();
    return word.substr(0, word.find('='));
  }
  // Of its value of that number, or of itself.
  Origin origin(std::size_t value, std::string how, const Reading& reading) const {
    const std::size_t inside =
        flag.values.size() + 1 - flag.words.size();  // 1: the first stands in the same word
    const std::size_t word =
        flag.at + (value < flag.values.size() ? value + 1 - std::min<std::size_t>(inside, 1) : 0);
    const std::string text = value < flag.values.size() ? flag.values[value] : std::string();
    return line.origin(word, text, reading.origin(std::move(how)));
  }
};

// -x NAME, -x NAME=VALUE, -genv NAME VALUE: the ranks get the variable.
void export_variable(const PlacedFlag& placed, const Reading& reading) {
  const TypedFlag& flag = placed.flag;
  const std::string& first = flag.values.front();
  const std::size_t equals = first.find('=');
  const std::string name = first.substr(0, equals);
  const std::string how = fmt::format("flag {}", flag.words.front());
  const Origin origin = placed.origin(0, how, reading);
  reading.launch.append(Fields::kMpiExported, name, origin);
  if (flag.values.size() == 2) reading.put_variable(name, flag.values[1], placed.origin(1, how, reading));
  if (equals != std::string::npos) reading.put_variable(name, first.substr(equals + 1), origin);
}

bool is_mca(std::string_view name) {
  return name == "mca" || name == "gmca" || name == "omca" || name == "prtemca" || name == "pmixmca";
}

void read_flag(const Launcher& launcher, const PlacedFlag& placed, const Reading& reading, Given given) {
  const TypedFlag& flag = placed.flag;
  const bool is_mpi = launcher.section == "mpi";
  if (is_mpi && is_mca(flag.name)) {
    const std::string how = fmt::format("flag --mca {}", flag.values[0]);
    reading.put(Fields::mpi_parameter(flag.values[0]), flag.values[1], placed.origin(1, how, reading));
    return;
  }
  if (is_mpi && (flag.name == "x" || flag.name == "genv" || flag.name == "env")) {
    export_variable(placed, reading);
    return;
  }
  const auto field = Fields::flag(launcher, flag_name(launcher, flag.name));
  if (given == Given::kOnlyIfMissing && reading.launch.has(field)) return;
  const Origin origin = placed.origin(0, fmt::format("flag {}", placed.typed()), reading);
  if (flag.values.empty()) {
    reading.launch.set(field, true, origin);
  } else {
    reading.put(field, flag.values.front(), origin);
  }
}

std::string docker_flag_name(const std::string& name) {
  if (name == "e") return "env";
  if (name == "net") return "network";
  if (name == "h") return "hostname";
  if (name == "p") return "publish";
  return name;
}

void read_variable(const std::string& text, const Origin& origin, const LaunchConfig& outside,
                   const Reading& reading) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos)
    return reading.put_variable(text.substr(0, equals), text.substr(equals + 1), origin);
  // Handed on from the environment.
  const auto handed = outside.get(Fields::variable(text));
  if (handed) return reading.put_variable(text, handed->value, handed->origin);
  if (!text.empty()) reading.put_variable(text, shell::open_part("$" + text), origin);
}

// memlock=-1:-1
void read_limit(const NamedField<Group>& container, const std::string& text, const Origin& origin,
                const Reading& reading) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return;
  const std::string value = text.substr(equals + 1);
  reading.put(Fields::entry(container.at(Fields::Container::kLimits), text.substr(0, equals)),
              value.substr(0, value.find(':')), origin);
}

void read_docker_flag(const NamedField<Group>& container, const PlacedFlag& placed,
                      const LaunchConfig& outside, const Reading& reading) {
  const TypedFlag& flag = placed.flag;
  const std::string name = docker_flag_name(flag.name);
  const Origin origin = placed.origin(0, "flag " + placed.typed(), reading);
  if (name == "env") return read_variable(flag.values.front(), origin, outside, reading);
  if (name == "env_file") return reading.leave_open(Fields::kVariables, flag.values.front());
  if (name == "ulimit") return read_limit(container, flag.values.front(), origin, reading);
  if (name == "shm_size") {
    const auto field = container.at(Fields::Container::kSharedMemoryBytes);
    if (const auto size = size_in_bytes(flag.values.front())) reading.launch.set(field, *size, origin);
    if (shell::is_open(flag.values.front())) reading.put(field, flag.values.front(), origin);
    return;
  }
  const auto field = Fields::container_flag(container, name);
  const bool is_list = name == "device" || name == "cap_add" || name == "publish";
  if (is_list) {
    reading.launch.append(field, shell::as_written(flag.values.front()), origin);
  } else if (flag.values.empty()) {
    reading.launch.set(field, true, origin);
  } else {
    reading.put(field, flag.values.front(), origin);
  }
}

void tell_of_unknown(const SplitCommand& split, std::string_view launcher, const Reading& reading) {
  if (split.unknown.empty()) return;
  std::vector<std::string> names;
  for (const std::string& word : split.unknown)
    names.push_back(shell::as_written(word.substr(0, word.find('='))));
  reading.fault(fmt::format("{} of {}: not {} that Lockstep knows, and not looked at", fmt::join(names, ", "),
                            launcher, names.size() == 1 ? "a flag" : "flags"));
}

void leave_open(const SplitCommand& split, const FieldPath& section, const Reading& reading) {
  if (split.open.empty()) return;
  std::string words;
  for (const std::string& word : split.open) words += (words.empty() ? "" : " ") + shell::as_written(word);
  reading.leave_open(section, words);
}

}  // namespace

CommandLine read_launcher(const Launcher& launcher, const CommandLine& line, const Reading& reading,
                          Given given) {
  const auto section = Fields::section_of(launcher);
  if (!reading.launch.has(section)) {
    reading.launch.append(Fields::kLaunchers, std::string(launcher.section), reading.origin("command"));
    reading.launch.set(section, base::Json::object(), reading.origin("command"));
  }
  const auto split = split_openly(line.words(), *launcher.table, kQuestions);
  if (!split.ok()) {
    reading.fault(fmt::format("{}: {}", shell::as_written(split.error().where), split.error().why));
    reading.leave_open(section, split.error().where);
    return {};
  }
  for (const TypedFlag& flag : split.value().flags) read_flag(launcher, {flag, line}, reading, given);
  tell_of_unknown(split.value(), launcher.section, reading);
  leave_open(split.value(), section, reading);
  return line.from(split.value().program_at);
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

CommandLine read_docker_run(const CommandLine& line, const Reading& reading) {
  std::size_t run = 0;
  while (run < line.size() && line[run] != "run") ++run;
  if (run == line.size()) return {};
  const CommandLine behind = line.from(run + 1);
  const auto split = split_openly(behind.words(), kDockerRunFlags, kQuestions);
  if (!split.ok()) {
    reading.fault(fmt::format("{}: {}", split.error().where, split.error().why));
    return {};
  }
  // A container has the variables that it is given, and those of its image.
  LaunchConfig outside;
  std::swap(outside, reading.launch);
  for (const FieldPath& kept :
       {FieldPath(Fields::kLaunchers), FieldPath(Fields::kSrun), FieldPath(Fields::kSbatch),
        FieldPath(Fields::kContainers), FieldPath(Fields::kStart), FieldPath(Fields::kMpi)})
    reading.launch.take_from(outside, kept);
  const auto container = reading.launch.append_group(Fields::kContainers, reading.origin("command"));
  for (const TypedFlag& flag : split.value().flags)
    read_docker_flag(container, {flag, behind}, outside, reading);
  tell_of_unknown(split.value(), "docker run", reading);
  if (!split.value().open.empty()) leave_open(split.value(), container, reading);
  const CommandLine program = behind.from(split.value().program_at);
  if (program.empty()) return {};
  reading.put(container.at(Fields::Container::kImage), program.front(), reading.origin("command"));
  return program.from(1);
}

}  // namespace lockstep::config
