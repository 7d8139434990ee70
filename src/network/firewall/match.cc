#include "network/firewall/match.h"

#include <algorithm>

namespace lockstep::network {
namespace {

bool stands_for(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('+') || pattern.ends_with('*'))
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

}  // namespace

bool AddressSet::contains(const base::Address& address) const {
  if (is_any) return true;
  const auto behind = std::upper_bound(
      ranges.begin(), ranges.end(), address,
      [](const base::Address& left, const AddressRange& right) { return left < right.first; });
  const bool is_in = behind != ranges.begin() && address <= std::prev(behind)->last;
  return is_in != is_inverted;
}

void AddressSet::add(AddressRange range) {
  is_any = false;
  if (range.first <= range.last) ranges.push_back(range);
}

void AddressSet::seal() {
  std::ranges::sort(ranges, {}, &AddressRange::first);
  std::vector<AddressRange> merged;
  for (const AddressRange& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().last) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  ranges = std::move(merged);
}

bool InterfaceSet::contains(std::string_view name) const {
  if (is_any) return true;
  const bool is_in =
      std::ranges::any_of(names, [&](const std::string& pattern) { return stands_for(pattern, name); });
  return is_in != is_inverted;
}

bool Match::fits(const Packet& packet) const {
  if (never || (protocols & packet.protocol) == 0 || (states & packet.state) == 0) return false;
  if (family && *family != packet.source.family) return false;
  if (!source.contains(packet.source) || !destination.contains(packet.destination)) return false;
  if (!incoming.contains(packet.incoming) || !outgoing.contains(packet.outgoing)) return false;
  if (is_source_local.value_or(packet.is_source_local) != packet.is_source_local) return false;
  if (is_destination_local.value_or(packet.is_destination_local) != packet.is_destination_local) return false;
  if (tcp_flags_mask == 0) return true;
  const bool has_flags = packet.protocol == kTcp && (packet.tcp_flags & tcp_flags_mask) == tcp_flags_set;
  return has_flags != are_flags_inverted;
}

bool narrow_ports(Match& match, const PortSet& ports, bool is_source) {
  PortSet& own = is_source ? match.ports.source : match.ports.destination;
  own = own & ports;
  if (own.empty()) match.never = true;
  return !own.empty();
}

}  // namespace lockstep::network
