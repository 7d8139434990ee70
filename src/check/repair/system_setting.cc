#include "check/repair/system_setting.h"

#include <fmt/format.h>

#include "base/text_fields.h"
#include "check/repair/hosts_file.h"

namespace lockstep::repair {

std::string set_system(hostinfo::HostFacts& facts, const std::string& setting, const std::string& value) {
  const auto number = base::number_in<std::uint64_t>(value).value_or(0);
  if (setting == "shm") {
    if (facts.shared_memory) facts.shared_memory->total_bytes = number;
    return fmt::format("mount -o remount,size={} /dev/shm", number);
  }
  if (setting == "nofile") {
    facts.limits["nofile"].soft = number;
    return fmt::format("ulimit -n {}", number);
  }
  if (setting.starts_with("mtu ")) {
    const std::string name = setting.substr(4);
    for (hostinfo::Interface& interface : facts.interfaces)
      if (interface.name == name) interface.mtu = static_cast<unsigned>(number);
    return fmt::format("ip link set dev {} mtu {}", name, number);
  }
  if (setting.starts_with("name ")) return set_name(facts, setting.substr(5), value);
  facts.sysctls[setting] = value;
  if (setting == "net.ipv4.neigh.default.gc_thresh3")
    facts.neighbours.ipv4_limit = static_cast<std::int64_t>(number);
  return fmt::format("sysctl -w {}={}", setting, value);
}

}  // namespace lockstep::repair
