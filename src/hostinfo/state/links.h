// Counters of network interfaces and InfiniBand ports: what went wrong on them since the host started.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/proc_files.h"

namespace lockstep::hostinfo {

struct Link {
  std::string name;                               // "eth0", "mlx5_0/1"
  std::string state;                              // "up", "ACTIVE"
  std::map<std::string, std::uint64_t> troubles;  // "receive errors": 12

  bool operator==(const Link&) const = default;
};

// The counters of /proc/net/dev, without the loopback.
std::vector<Link> parse_net_dev(std::string_view text);

// RetransSegs of /proc/net/snmp: segments of TCP that had to be sent again.
std::optional<std::uint64_t> parse_sent_again(std::string_view text);

std::vector<Link> read_links(const process::Roots& roots);

}  // namespace lockstep::hostinfo
