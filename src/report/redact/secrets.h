// Tokens, keys and passwords.
#pragma once

#include <string>
#include <string_view>

#include "report/redact/stand_ins.h"

namespace lockstep::report {

std::string without_secrets(std::string_view text, StandIns& stand_ins);

}  // namespace lockstep::report
