#include "shell/state.h"

#include <algorithm>

#include <fmt/format.h>

#include "shell/limits.h"

namespace lockstep::shell {
namespace {

Variable open_where_different(const std::string& name, const Variable* one, const Variable* other) {
  const Variable* const known = one != nullptr ? one : other;
  const Place place = known->items.empty() ? Place{} : known->items.front().place;
  Variable merged;
  const bool one_exports = one != nullptr && one->is_exported;
  const bool other_exports = other != nullptr && other->is_exported;
  merged.is_exported = one_exports && other_exports;
  merged.may_be_exported = one_exports || other_exports || (one != nullptr && one->may_be_exported) ||
                           (other != nullptr && other->may_be_exported);
  merged.is_array = known->is_array;
  if (merged.is_array) {
    merged.has_more = true;
  } else {
    merged.items = {open_variable(name, place)};
  }
  return merged;
}

bool have_same_value(const Variable& one, const Variable& other) {
  return one.is_array == other.is_array && one.has_more == other.has_more && one.is_unset == other.is_unset &&
         one.is_exported == other.is_exported &&
         std::ranges::equal(one.items, other.items, {}, &Word::text, &Word::text);
}

void open_differences(Variables& variables, const Variables& other) {
  for (auto& [name, variable] : variables) {
    const auto found = other.find(name);
    const Variable* const theirs = found == other.end() ? nullptr : &found->second;
    if (theirs == nullptr || !have_same_value(*theirs, variable))
      variable = open_where_different(name, &variable, theirs);
  }
  for (const auto& [name, variable] : other) {
    if (!variables.contains(name)) variables[name] = open_where_different(name, nullptr, &variable);
  }
}

}  // namespace

Word open_variable(std::string_view name, const Place& place) {
  return {open_part(fmt::format("${}", name)), place, {}};
}

const Variable* State::find(std::string_view name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : &found->second;
}

Variable& State::at(const std::string& name) {
  const auto found = variables.find(name);
  if (found != variables.end()) return found->second;
  if (variables.size() >= kMaxVariables) return past_the_bound = Variable{};
  Variable& made = variables[name];
  made.is_exported = exports_all;
  return made;
}

Variable& State::set(const std::string& name, Word value) {
  Variable& variable = at(name);
  variable.items = {std::move(value)};
  variable.is_array = variable.has_more = variable.is_unset = false;
  variable.is_exported = variable.is_exported || exports_all;
  return variable;
}

void State::widen(const State& other) {
  open_differences(variables, other.variables);
  for (const auto& [name, function] : other.functions) functions.try_emplace(name, function);
  for (auto& [name, text] : files) {
    const auto theirs = other.files.find(name);
    if (theirs == other.files.end() || theirs->second != text) text = open_part(name);
  }
  for (const auto& [name, text] : other.files) files.try_emplace(name, open_part(name));
  if (arguments != other.arguments) has_open_arguments = true;
  has_open_arguments = has_open_arguments || other.has_open_arguments;
  for (const int command : other.in_background) {
    if (std::ranges::find(in_background, command) == in_background.end()) in_background.push_back(command);
  }
}

void State::merge(const State& other) {
  if (other.stop == Stop::kScript) return;
  if (stop == Stop::kScript) {
    std::vector<std::string>* const kept = locals;
    *this = other;
    locals = kept;
    return;
  }
  widen(other);
  // One way goes on.
  if (other.stop == Stop::kNone) stop = Stop::kNone;
}

}  // namespace lockstep::shell
