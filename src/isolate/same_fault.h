// Whether two findings, of two runs, are about one fault.
#pragma once

#include <string>
#include <string_view>

#include "model/finding.h"

namespace lockstep::isolate {

// The same code is the same fault, unless the code only tells how a process ended or is a guess: then, and
// for different codes, a line of evidence must be the same in both.
bool is_same_fault(const model::Finding& one, const model::Finding& other);

// A line of a log without what differs from run to run: what a launcher put before it, times, addresses,
// numbers.
std::string essence_of(std::string_view line);

}  // namespace lockstep::isolate
