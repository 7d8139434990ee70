#include "cli/verbs.h"

namespace lockstep::cli {
namespace {

constexpr const Verb* kVerbs[] = {
    &kDiagnoseVerb, &kCheckVerb,     &kFactsVerb, &kRunVerb,        &kTopVerb,    &kReplayVerb, &kDiffVerb,
    &kIsolateVerb,  &kSubmitVerb,    &kJobsVerb,  &kLogsVerb,       &kCancelVerb, &kServeVerb,  &kReportVerb,
    &kExplainVerb,  &kCatalogueVerb, &kDumpVerb,  &kProbeAgentVerb, &kHelpVerb,
};

}  // namespace

VerbTable all_verbs() {
  return kVerbs;
}

}  // namespace lockstep::cli
