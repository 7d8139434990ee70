// The folder of a new recording, and the link that always leads to the newest.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::supervise {

// Makes `folder`, or a new one in the working folder when it is empty: "lockstep-20261115-154501". `suffix`
// is added to either. Gives its absolute path.
Result<std::filesystem::path> make_recording_folder(const std::filesystem::path& folder,
                                                    const std::string& suffix,
                                                    const std::vector<std::string>& command,
                                                    const std::string& writer);

// Lets lockstep-latest, beside the recording, lead to it. A file of that name that is no link is left alone.
void link_latest(const std::filesystem::path& recording);

}  // namespace lockstep::supervise
