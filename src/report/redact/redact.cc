#include "report/redact/redact.h"

#include <utility>

#include "report/redact/masks.h"
#include "report/redact/names.h"

namespace lockstep::report {
namespace {

using Texts = std::vector<std::string*>;

// Every text that may come from the user's machines.
Texts texts_of(model::Verdict& verdict) {
  Texts texts = {&verdict.job.framework, &verdict.job.backend};
  for (model::Finding& finding : verdict.findings) {
    texts.push_back(&finding.title);
    texts.push_back(&finding.explanation);
    for (model::Evidence& evidence : finding.evidence) {
      texts.push_back(&evidence.file);
      texts.push_back(&evidence.text);
    }
    for (model::Fix& fix : finding.fixes) {
      texts.push_back(&fix.title);
      for (std::string& step : fix.steps) texts.push_back(&step);
      for (std::string& command : fix.commands) texts.push_back(&command);
    }
  }
  for (std::string& limit : verdict.limits) texts.push_back(&limit);
  return texts;
}

// Whether anything was hidden.
bool redact_once(const Texts& texts, std::span<const std::string> host_names) {
  bool has_changed = false;
  const auto rewrite = [&](std::string& text, std::string other) {
    has_changed = has_changed || other != text;
    text = std::move(other);
  };
  StandIns stand_ins;
  Names names(stand_ins);
  for (const std::string* text : texts) stand_ins.reserve_those_in(*text);
  for (const std::string& name : host_names) names.learn_host(name);
  // What a host or user is called is learned from the URLs and addresses that the next step takes away.
  for (std::string* text : texts) rewrite(*text, without_secrets(*text, stand_ins));
  names.learn_secrets();
  for (const std::string* text : texts) names.learn_from(*text);
  for (const std::string* text : texts) names.learn_siblings_in(*text);
  for (std::string* text : texts) rewrite(*text, names.hidden_in(without_addresses(*text, stand_ins)));
  return has_changed;
}

}  // namespace

// A stand-in may let a pattern see what it could not see before ("10.0.0.1@gpu" is no user, "address-1@gpu"
// may be), so it goes on until nothing changes. Each pass leaves less to hide.
void redact_together(model::Verdict& verdict, const std::vector<std::string*>& others,
                     std::span<const std::string> host_names) {
  constexpr int kMaxPasses = 16;  // three are usual; a text made to keep changing must end too
  Texts texts = texts_of(verdict);
  texts.insert(texts.end(), others.begin(), others.end());
  bool has_changed = redact_once(texts, host_names);
  for (int pass = 1; pass < kMaxPasses && has_changed; ++pass) has_changed = redact_once(texts, {});
}

model::Verdict redact(model::Verdict verdict, std::span<const std::string> host_names) {
  redact_together(verdict, {}, host_names);
  return verdict;
}

}  // namespace lockstep::report
