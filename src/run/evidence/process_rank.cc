#include "run/evidence/process_rank.h"

#include <string>
#include <string_view>

#include "base/text_fields.h"
#include "launchers/rank_variables.h"

namespace lockstep::evidence {
namespace {

// Variables end with a zero byte.
std::string_view variable_in(std::string_view environ, std::string_view name) {
  while (!environ.empty()) {
    const std::string_view one = base::word_of(environ, '\0');
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
    environ.remove_prefix(std::min(environ.size(), one.size() + 1));
  }
  return {};
}

}  // namespace

std::optional<int> rank_of_process(const process::Roots& roots, pid_t pid) {
  const std::string environ = process::text_of(roots.proc / std::to_string(pid) / "environ");
  for (const launchers::RankVariables* variables : launchers::kAllRankVariables) {
    if (const auto rank = base::number_in<int>(variable_in(environ, variables->rank))) return rank;
  }
  return std::nullopt;
}

}  // namespace lockstep::evidence
