// The bytes of what calls gave back, which lie in the payload files of any rank of a host.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "record/payload.h"

namespace lockstep::record {

// Of one content; none when the recording does not hold it.
std::optional<std::vector<std::byte>> read_content(const std::filesystem::path& recording,
                                                   const PayloadOutput& output);

}  // namespace lockstep::record
