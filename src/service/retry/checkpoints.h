// What a job has saved, as far as its folder shows it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lockstep::service {

// When something in the folder changed last, in milliseconds of the wall clock; 0: there is nothing in it.
std::int64_t newest_in(const std::filesystem::path& folder);

}  // namespace lockstep::service
