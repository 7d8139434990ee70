// Programs, libraries and services that launchers and transports look for on a host.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

// Where the loader would find it: LD_LIBRARY_PATH, then the usual folders; empty: nowhere.
std::string library_in(std::string_view library_path, std::span<const std::filesystem::path> usual,
                       const std::string& name);

// "RemoveIPC=yes" of logind.conf; nothing where the file leaves it to the default.
std::optional<bool> removes_ipc(std::string_view logind_conf);

void take_software(HostFacts& facts);

}  // namespace lockstep::hostinfo
