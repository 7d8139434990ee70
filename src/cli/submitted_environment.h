// Which variables of the submitting shell a job gets: those that lead to its programs and libraries and those
// that frameworks read. Everything else stays here unless it is asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::cli {

// What leads to programs and libraries of this machine means nothing on another one.
enum class From { kThisMachine, kAnotherMachine };

// `asked` as typed: NAME (its value here) or NAME=VALUE.
Result<std::map<std::string, std::string>> submitted_environment(const std::vector<std::string>& environment,
                                                                 const std::vector<std::string>& asked,
                                                                 From from);

// The interpreter that `python3` or `python` means in this PATH; empty when there is none.
std::string interpreter_in(const std::string& path);

}  // namespace lockstep::cli
