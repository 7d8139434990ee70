// What is repaired: the launch, its files, and the facts of its hosts; and what check says of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/flows/required_flows.h"
#include "check/rules/judge.h"
#include "config/configuration.h"
#include "hostinfo/facts_folder.h"
#include "hostinfo/host_facts.h"
#include "model/finding.h"

namespace lockstep::repair {

struct Situation {
  config::Inputs inputs = {};
  std::map<std::string, std::string> edited = {};  // files whose text is another than on the disk
  std::vector<hostinfo::HostFacts> hosts = {};
  std::vector<rules::HostDocument> documents = {};  // the same facts, one for each host

  Result<std::string> text_of(const std::string& file) const;
  // After the facts of a host were changed.
  void renew_document(std::size_t host);
};

// With the hosts in the order of their files; those that hold no facts are left out.
Situation make_situation(config::Inputs inputs, std::vector<hostinfo::FactsFile> facts);
// The same where the facts are not decoded yet.
Situation make_situation(config::Inputs inputs, std::vector<rules::HostDocument> documents);

struct Judged {
  config::Configuration configuration = {};
  std::vector<rules::Hit> hits = {};
  std::vector<model::Finding> blocked = {};  // connections
  flows::FlowPlan plan = {};
};

config::Configuration read(const Situation& situation);

// As the verb does it.
Judged judge(const Situation& situation);

constexpr double kErrorConfidence = 0.9;

// Titles of all findings that keep the job from working.
std::vector<std::string> errors_of(const Judged& judged);

}  // namespace lockstep::repair
