// IPv4, IPv6 and hardware addresses, and those of people.
#pragma once

#include <string>
#include <string_view>

#include "report/redact/stand_ins.h"

namespace lockstep::report {

// Addresses that every machine has (127.0.0.1, ::1, 0.0.0.0) and netmasks stay; so do version numbers of four
// parts where something says that they are versions.
std::string without_addresses(std::string_view text, StandIns& stand_ins);

}  // namespace lockstep::report
