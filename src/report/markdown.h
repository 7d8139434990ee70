// The report for an issue or a merge request. Text from files cannot break out of its place: see
// report/markdown_escape.h.
#pragma once

#include <string>

#include "model/finding.h"

namespace lockstep::report {

std::string render_markdown(const model::Verdict& verdict);

}  // namespace lockstep::report
