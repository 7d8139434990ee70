// GPUs and RDMA devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::network {

struct Gpu {
  unsigned index = 0;
  std::string uuid = {};
  std::string name = {};
  std::string pci = {};
  std::optional<std::uint64_t> memory_bytes = {};

  bool operator==(const Gpu&) const = default;
};

struct Gpus {
  std::vector<Gpu> gpus = {};
  unsigned switches = 0;           // NVSwitches
  std::string driver = {};         // of the user library
  std::string kernel_module = {};  // version of the loaded module

  bool operator==(const Gpus&) const = default;
};

struct Gid {
  unsigned index = 0;
  std::string gid = {};   // as the kernel prints it
  std::string type = {};  // "IB/RoCE v1", "RoCE v2"
  std::string interface = {};

  bool operator==(const Gid&) const = default;
};

struct RdmaPort {
  unsigned number = 0;
  std::string state = {};       // "ACTIVE"
  std::string link_layer = {};  // "InfiniBand", "Ethernet"
  std::string rate = {};        // "100 Gb/sec (4X EDR)"
  std::vector<Gid> gids = {};
  std::vector<std::string> partition_keys = {};

  bool operator==(const RdmaPort&) const = default;
};

struct RdmaDevice {
  std::string name = {};  // "mlx5_0"
  std::vector<RdmaPort> ports = {};

  bool operator==(const RdmaDevice&) const = default;
};

// The transport library that NCCL would load.
struct NcclPlugin {
  std::string name = {};  // "libnccl-net.so", or what NCCL_NET_PLUGIN asks for
  std::string path = {};  // empty: not found

  bool operator==(const NcclPlugin&) const = default;
};

}  // namespace lockstep::network
