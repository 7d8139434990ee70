#include "cli/preflight.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "check/rules/catalogue.h"
#include "check/rules/judge.h"
#include "cli/launch_inputs.h"

namespace lockstep::cli {

std::string preflight(const std::vector<std::string>& command) {
  const config::Configuration configuration = config::read_configuration(launch_inputs(command, {}));
  std::string text;
  for (const rules::Hit& hit : rules::apply(rules::built_in_rules(), {configuration, {}})) {
    if (hit.rule->severity != rules::Severity::kError) continue;
    text +=
        fmt::format("lockstep: check: {} [{}]\n", base::escape_for_terminal(hit.finding.title), hit.rule->id);
  }
  if (!text.empty())
    text += "lockstep: check: 'lockstep check -- CMD...' says more; --no-check leaves this out\n";
  return text;
}

}  // namespace lockstep::cli
