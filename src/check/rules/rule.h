// One rule of the catalogue: what must not be so, what the user would see, and what to change.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "check/rules/expression.h"
#include "model/finding_code.h"
#include "model/fix.h"

namespace lockstep::rules {

enum class Severity { kError, kWarning };
// For what the condition is asked: each launch, each host whose facts are there, or all of them at once.
enum class Subject { kLaunch, kHost, kJob };
// Where the knowledge comes from.
enum class Basis { kSource, kDocumentation, kThreads, kHandsOn, kGeneral };

// A text with expressions in braces.
struct Wording {
  struct Part {
    std::string text;
    std::optional<Expression> expression;
  };
  std::vector<Part> parts = {};
};

struct Rule {
  std::string id = {};    // "D04"
  std::string code = {};  // of the symptom that a job would show, or one of ours: "check.one_subnet"
  model::Leaf leaf = model::Leaf::kSetupFail;
  Severity severity = Severity::kError;
  Basis basis = Basis::kGeneral;
  Subject subject = Subject::kLaunch;
  Expression when;
  Wording title = {};
  Wording says = {};
  Wording sees = {};  // no parts: nothing is told
  model::Fix fix = {};
  std::vector<Wording> fix_commands = {};
  std::vector<std::string> sources = {};
};

// `where` names the file in the error.
Result<Rule> decode_rule(const base::Json& entry, std::string_view where);

double confidence_of(const Rule& rule);

}  // namespace lockstep::rules
