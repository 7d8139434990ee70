// A signature line of a clog: what is called, with which arguments.
//
//   C2|sig|all_reduce|in_count=8|out_count=8|dtype=bf16|red_op=sum|async_op=t|comm=world
#pragma once

#include <string_view>

#include "model/collective.h"

namespace lockstep::readers {

struct ClogSignature {
  model::Collective collective;
  std::string_view communicator;
};

// From the name of the operation on: "all_reduce|in_count=8|..."
ClogSignature clog_signature(std::string_view text);

// The part up to the next '|', which is taken off the text.
std::string_view take_clog_field(std::string_view& text);

// "3,4,5"; words that are no numbers are left out.
std::vector<std::int64_t> clog_numbers(std::string_view list);

}  // namespace lockstep::readers
