// SARIF 2.1.0, for code scanning services and editors. One rule per finer code, one result per finding; the
// first evidence that names a file is the location, the others are related locations. Limits of the verdict
// are notifications of the tool.
//
// SARIF's own fixes are edits of files; ours are advice, so they stand in the message and the properties.
#pragma once

#include <string>
#include <string_view>

#include "model/finding.h"

namespace lockstep::report {

std::string render_sarif(const model::Verdict& verdict, std::string_view tool_version);

// A file name as a URI: relative names stay relative, absolute ones become file:///.
std::string file_uri(std::string_view file);

}  // namespace lockstep::report
