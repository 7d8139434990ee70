// For reading a mapped file once, from one end to the other, with little of it in memory.
#pragma once

#include <string_view>

namespace lockstep::base {

// Brings the pages of a part into memory by one call instead of one fault after another.
void fetch_pages(std::string_view part);

// Lets go of the pages that lie wholly in a part of a read-only mapping of a file; they come back when
// touched. Memory of another kind would lose its content.
void forget_pages(std::string_view part);

}  // namespace lockstep::base
