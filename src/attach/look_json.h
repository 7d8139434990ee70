// What was seen of jobs as a JSON document: what this program on another host tells the one that judges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attach/look.h"
#include "base/result.h"

namespace lockstep::attach {

inline constexpr std::string_view kLooksSchema = "lockstep-looks-v1";

std::string encode_looks(const std::vector<JobLook>& looks);

// The text is untrusted: members of the wrong kind are as if they were not there.
Result<std::vector<JobLook>> decode_looks(std::string_view text, std::string_view where);

}  // namespace lockstep::attach
