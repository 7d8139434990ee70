#include "report/redact/redact.h"

#include <utility>

#include "report/redact/addresses.h"
#include "report/redact/names.h"
#include "report/redact/secrets.h"

namespace lockstep::report {
namespace {

// Every text that may come from the user's machines.
template <typename Visit>
void for_each_text(model::Verdict& verdict, Visit visit) {
  visit(verdict.job.framework);
  visit(verdict.job.backend);
  for (model::Finding& finding : verdict.findings) {
    visit(finding.title);
    visit(finding.explanation);
    for (model::Evidence& evidence : finding.evidence) {
      visit(evidence.file);
      visit(evidence.text);
    }
    for (model::Fix& fix : finding.fixes) {
      visit(fix.title);
      for (std::string& step : fix.steps) visit(step);
      for (std::string& command : fix.commands) visit(command);
    }
  }
  for (std::string& limit : verdict.limits) visit(limit);
}

model::Verdict redact_once(model::Verdict verdict, std::span<const std::string> host_names) {
  StandIns stand_ins;
  Names names(stand_ins);
  for_each_text(verdict, [&](const std::string& text) { stand_ins.reserve_those_in(text); });
  for (const std::string& name : host_names) names.learn_host(name);
  // What a host or user is called is learned from the URLs and addresses that the next step takes away.
  for_each_text(verdict, [&](std::string& text) { text = without_secrets(text, stand_ins); });
  names.learn_secrets();
  for_each_text(verdict, [&](const std::string& text) { names.learn_from(text); });
  for_each_text(verdict, [&](const std::string& text) { names.learn_siblings_in(text); });
  for_each_text(verdict,
                [&](std::string& text) { text = names.hidden_in(without_addresses(text, stand_ins)); });
  return verdict;
}

}  // namespace

// A stand-in may let a pattern see what it could not see before ("10.0.0.1@gpu" is no user, "address-1@gpu"
// may be), so it goes on until nothing changes. Each pass leaves less to hide.
model::Verdict redact(model::Verdict verdict, std::span<const std::string> host_names) {
  constexpr int kMostPasses = 16;
  model::Verdict hidden = redact_once(verdict, host_names);
  for (int pass = 1; pass < kMostPasses && hidden != verdict; ++pass) {
    verdict = std::move(hidden);
    hidden = redact_once(verdict, {});
  }
  return hidden;
}

}  // namespace lockstep::report
