// A verdict that may be shown to strangers: hosts, addresses, users, e-mail addresses and secrets are
// replaced by stand-ins ("host-1", "address-2"), the same one for the same thing throughout, so that the
// story stays readable. Codes, scopes, ranks, lines and numbers stay.
//
// It works by patterns and by the names it learns from them, so it cannot know everything that is private.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/finding.h"

namespace lockstep::report {

// `host_names` are those the caller knows besides. redact(redact(v)) equals redact(v).
model::Verdict redact(model::Verdict verdict, std::span<const std::string> host_names = {});

// The same over a verdict and other texts that are shown beside it.
void redact_together(model::Verdict& verdict, const std::vector<std::string*>& others,
                     std::span<const std::string> host_names = {});

}  // namespace lockstep::report
