// env, nice, uv run and the like: programs that start another in its place or beside them.
#include <algorithm>

#include <fmt/format.h>

#include "launchers/launcher.h"
#include "launchers/one_rank.h"

namespace lockstep::launchers {
namespace {

constexpr std::string_view kWrappers =
    " env nohup nice ionice stdbuf time setsid numactl taskset unbuffer uv poetry pipenv conda mamba "
    "micromamba pixi hatch nsys ";
constexpr std::string_view kElsewhere = " docker podman kubectl ssh enroot singularity apptainer ray ";
constexpr std::string_view kOnCluster = " srun sbatch salloc ";

bool is_one_of(std::string_view names, std::string_view name) {
  const bool is_one_word = !name.empty() && name.find(' ') == std::string_view::npos;
  return is_one_word && names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

bool is_wrapper(std::string_view name) {
  return is_one_of(kWrappers, name);
}

bool is_known(std::span<const std::string> words) {
  return is_python(program_name(words.front())) || find_launcher(words).has_value();
}

// What a wrapper wraps begins with the first word that is a launcher or Python; without one, for env, with
// the first that is no flag and no assignment.
std::size_t end_of_wrapper(std::span<const std::string> words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (is_known(words.subspan(at))) return at;
  }
  if (program_name(words.front()) != "env") return words.size();
  const auto is_program = [](const std::string& word) {
    return !word.starts_with('-') && word.find('=') == std::string::npos;
  };
  const auto program = std::ranges::find_if(words.begin() + 1, words.end(), is_program);
  return static_cast<std::size_t>(program - words.begin());
}

bool is_assignment_of(const std::string& word, const std::vector<Change>& changes) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return false;
  const std::string_view name = std::string_view(word).substr(0, equals);
  return std::ranges::any_of(changes, [&](const Change& change) { return change.name == name; });
}

}  // namespace

bool runs_elsewhere(std::string_view program) {
  return is_one_of(kElsewhere, program);
}

bool runs_on_cluster(std::string_view program) {
  return is_one_of(kOnCluster, program);
}

std::size_t words_of_wrapper(std::span<const std::string> words) {
  if (words.empty() || !is_wrapper(program_name(words.front()))) return 0;
  const std::size_t end = end_of_wrapper(words);
  return end < words.size() ? end : 0;
}

Result<void> reduce_wrapped(const Launched& launched, const Launch& launch, Control& control) {
  Launch inside = launch;
  const bool sets_variables = launched.head.front().ends_with("env");
  for (const std::string& word : launched.head) {
    const std::size_t equals = word.find('=');
    if (!sets_variables || equals == std::string::npos || equals == 0 || word.front() == '-') continue;
    inside.environment[word.substr(0, equals)] = word.substr(equals + 1);
  }
  Control inner;
  inner.launcher = control.launcher;
  TRY(reduce_command(launched.words, inside, inner));
  // `env RANK=3 python ...` would undo the change of RANK.
  for (const std::string& word : launched.head) {
    const bool undoes = sets_variables && is_assignment_of(word, inner.changes);
    (undoes ? control.left_out : control.command).push_back(word);
  }
  append(control.command, inner.command);
  append(control.left_out, inner.left_out);
  append(control.notes, inner.notes);
  add_changes(control, inner.changes);
  control.launcher = inner.launcher;
  return {};
}

}  // namespace lockstep::launchers
