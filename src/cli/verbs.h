// Every verb of the program, in the order in which help lists them. A verb that is not built is not here.
#pragma once

#include "cli/verb.h"

namespace lockstep::cli {

extern const Verb kDiagnoseVerb;
extern const Verb kCheckVerb;
extern const Verb kIsolateVerb;
extern const Verb kRunVerb;
extern const Verb kTopVerb;
extern const Verb kFactsVerb;
extern const Verb kProbeAgentVerb;
extern const Verb kServeVerb;
extern const Verb kSubmitVerb;
extern const Verb kJobsVerb;
extern const Verb kLogsVerb;
extern const Verb kCancelVerb;
extern const Verb kReplayVerb;
extern const Verb kDiffVerb;
extern const Verb kReportVerb;
extern const Verb kExplainVerb;
extern const Verb kCatalogueVerb;
extern const Verb kDumpVerb;
extern const Verb kHelpVerb;

VerbTable all_verbs();

}  // namespace lockstep::cli
