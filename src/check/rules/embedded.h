// The built-in rules as the build packed them.
#pragma once

#include <string_view>

namespace lockstep::rules {

std::string_view embedded_rules();  // JSON

}  // namespace lockstep::rules
