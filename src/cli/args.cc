#include "cli/args.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep::cli {
namespace {

Flag flag_of(const Verb& verb, std::string_view name) {
  const std::vector<Flag> flags = flags_of(verb);
  const auto place = std::ranges::find(flags, name, &Flag::name);
  CHECK(place != flags.end(), "a verb asks only for flags of its table");
  return *place;
}

}  // namespace

const std::vector<std::string>* Args::typed(std::string_view flag) const {
  const auto place = typed_.find(flag_of(*verb_, flag).name);
  return place == typed_.end() ? nullptr : &place->second;
}

bool Args::has(std::string_view flag) const {
  return typed(flag) != nullptr;
}

std::optional<std::string> Args::value(std::string_view flag) const {
  if (const auto* values = typed(flag)) return values->back();
  const Flag entry = flag_of(*verb_, flag);
  if (entry.default_value.empty()) return std::nullopt;
  return std::string(entry.default_value);
}

std::vector<std::string> Args::values(std::string_view flag) const {
  const auto* values = typed(flag);
  return values == nullptr ? std::vector<std::string>{} : *values;
}

void Args::add(std::string_view flag, std::string value) {
  typed_[std::string(flag_of(*verb_, flag).name)].push_back(std::move(value));
}

}  // namespace lockstep::cli
