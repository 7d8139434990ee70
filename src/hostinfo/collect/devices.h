// GPUs and RDMA devices of this host.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

// Of nvidia-smi --query-gpu=index,uuid,name,pci.bus_id,memory.total,driver_version
// --format=csv,noheader,nounits
Gpus gpus_in(std::string_view csv);

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue ..." of /proc/driver/nvidia/version
std::string module_version_in(std::string_view text);

// Below /sys/class/infiniband.
std::vector<RdmaDevice> rdma_devices_in(const std::filesystem::path& folder);

void take_gpus(HostFacts& facts);
void take_rdma(HostFacts& facts);

}  // namespace lockstep::hostinfo
