// Rules over a configuration and the facts of hosts: what cannot work becomes findings.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "check/rules/evaluate.h"
#include "check/rules/rule.h"
#include "config/configuration.h"
#include "model/finding.h"

namespace lockstep::rules {

// The facts of one host as they were written; docs/formats/facts.md.
struct HostDocument {
  std::string file;
  base::Json facts;
};

struct Situation {
  const config::Configuration& configuration;
  std::span<const HostDocument> hosts;
};

struct Hit {
  const Rule* rule = nullptr;
  model::Finding finding;
  std::vector<std::string> hosts;  // on which it is so, of a rule about hosts
};

// The text with the values of this place; "?" stands for what is not known.
std::string worded(const Wording& wording, const Scope& scope);

// Most certain first. Where several hosts or launches have the same fault it is one hit.
std::vector<Hit> apply(std::span<const Rule> rules, const Situation& situation);

}  // namespace lockstep::rules
