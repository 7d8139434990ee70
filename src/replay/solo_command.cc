#include "replay/solo_command.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace lockstep::replay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWrappers[] = {"gdb",     "lldb",    "rr",        "strace", "ltrace",  "valgrind",
                                          "perf",    "time",    "nice",      "ionice", "timeout", "taskset",
                                          "numactl", "unshare", "heaptrack", "py-spy", "env",     "stdbuf"};
constexpr std::size_t kMaxDifferences = 8;  // named in a verdict; the others are counted

std::string program_of(const std::vector<std::string>& command) {
  return fs::path(command.front()).filename().string();
}

bool is_python(const std::string& program) {
  return program.starts_with("python");
}

// "python -m pdb", with nothing behind the module.
bool is_module_alone(const std::vector<std::string>& command) {
  return is_python(program_of(command)) && command.size() >= 3 && command[command.size() - 2] == "-m";
}

// A bare "python" means the one that was recorded.
bool is_same_language(const std::vector<std::string>& given, const std::vector<std::string>& recorded) {
  const bool is_bare = given.front() == "python" || given.front() == "python3";
  return is_bare && !recorded.empty() && is_python(program_of(recorded));
}

bool wants_command_behind_it(const std::vector<std::string>& command) {
  return command.back() == "--args" || command.back() == "--" ||
         std::ranges::count(kWrappers, program_of(command)) != 0;
}

// What stands behind the interpreter and its own flags: the script or "-m MODULE", and arguments.
std::vector<std::string> script_of(const std::vector<std::string>& command) {
  auto at = command.begin();
  if (at != command.end() && is_python(program_of(command))) ++at;
  while (at != command.end() && at->starts_with('-') && *at != "-m" && *at != "-c") {
    const bool has_value = *at == "-X" || *at == "-W";
    ++at;
    if (has_value && at != command.end()) ++at;
  }
  return {at, command.end()};
}

void append(std::vector<std::string>& command, const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
}

bool has_lockstep_python(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "lockstep_python", ignored);
}

// A list with colons, without the parts that are ours.
template <typename IsOurs>
std::string without_ours(std::string_view list, IsOurs is_ours) {
  std::string kept;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    const fs::path part(list.substr(0, end));
    if (!is_ours(part)) kept += (kept.empty() ? "" : ":") + part.string();
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return kept;
}

// Debuggers set them too.
bool is_of_terminal(std::string_view variable) {
  return variable == "TERM" || variable == "COLUMNS" || variable == "LINES";
}

std::map<std::string, std::string> as_map(const std::vector<std::string>& environment) {
  std::map<std::string, std::string> map;
  for (const std::string& entry : environment) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    map.emplace(entry.substr(0, equals), entry.substr(std::min(equals + 1, entry.size())));
  }
  return map;
}

}  // namespace

std::vector<std::string> solo_command(const record::PayloadProcess& process,
                                      const std::vector<std::string>& given) {
  if (given.empty()) return process.arguments;
  std::vector<std::string> command = given;
  if (is_same_language(given, process.arguments)) command.front() = process.arguments.front();
  if (is_module_alone(given)) {
    append(command, script_of(process.arguments));
  } else if (wants_command_behind_it(given)) {
    append(command, process.arguments);
  }
  return command;
}

std::vector<std::string> recorded_environment(const record::PayloadProcess& process) {
  std::vector<std::string> environment;
  const auto is_our_library = [](const fs::path& part) {
    return part.filename().string().starts_with("liblockstep");
  };
  for (const auto& [name, value] : as_map(process.environment)) {
    if (name.starts_with("LOCKSTEP_")) continue;
    std::string kept = value;
    if (name == "LD_PRELOAD") kept = without_ours(value, is_our_library);
    if (name == "PYTHONPATH") kept = without_ours(value, has_lockstep_python);
    const bool was_ours_alone = kept.empty() && !value.empty();
    if (!was_ours_alone) environment.push_back(fmt::format("{}={}", name, kept));
  }
  return environment;
}

std::vector<std::string> differences_between(const record::PayloadProcess& recorded,
                                             const record::PayloadProcess& other) {
  std::vector<std::string> differences;
  if (recorded.arguments != other.arguments) differences.emplace_back("the command");
  if (recorded.folder != other.folder) differences.emplace_back("the working folder");
  if (recorded.program != other.program)
    differences.push_back(fmt::format("the program ({})", other.program));
  const auto before = as_map(recorded_environment(recorded));
  auto now = as_map(recorded_environment(other));
  for (const auto& [name, value] : before) {
    const auto found = now.find(name);
    if (!is_of_terminal(name) && (found == now.end() || found->second != value))
      differences.push_back("variable " + name);
    if (found != now.end()) now.erase(found);
  }
  for (const auto& [name, value] : now) {
    if (!is_of_terminal(name)) differences.push_back("variable " + name);
  }
  if (differences.size() > kMaxDifferences) {
    const std::size_t more = differences.size() - kMaxDifferences;
    differences.resize(kMaxDifferences);
    differences.push_back(fmt::format("{} more", more));
  }
  return differences;
}

}  // namespace lockstep::replay
