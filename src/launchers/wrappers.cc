#include <algorithm>

#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"

namespace lockstep::isolate {
namespace {

bool is_assignment_of(const std::string& word, const std::vector<Change>& changes) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return false;
  const std::string_view name = std::string_view(word).substr(0, equals);
  return std::ranges::any_of(changes, [&](const Change& change) { return change.name == name; });
}

}  // namespace

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
  TRY(reduce_inner(launched.words, inside, inner));
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

}  // namespace lockstep::isolate
