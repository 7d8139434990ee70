#include "service/engine/nodes/node_place.h"

#include <arpa/inet.h>
#include <climits>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/process/descriptor.h"

namespace lockstep::service {

namespace {

constexpr const char* kAnywhere = "192.0.2.1";  // of no host (RFC 5737); nothing is sent there

std::string in_text(const in_addr& address) {
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &address, text, sizeof text);
  return text;
}

bool is_loopback(const in_addr& address) {
  return (ntohl(address.s_addr) >> 24) == 127;
}

// The address that this host would speak from; empty: there is no way, or it does not leave the host.
std::string source_towards(const std::string& peer) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  if (::inet_pton(AF_INET, peer.c_str(), &to.sin_addr) != 1) return "";
  const process::Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return "";
  sockaddr_in from{};
  socklen_t size = sizeof from;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&from), &size) != 0) return "";
  return is_loopback(from.sin_addr) ? "" : in_text(from.sin_addr);
}

struct OwnAddress {
  std::string interface;
  std::string address;
};

std::vector<OwnAddress> own_addresses() {
  std::vector<OwnAddress> found;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return found;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    const bool is_meant =
        one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET && (one->ifa_flags & IFF_UP) != 0;
    if (!is_meant) continue;
    const in_addr address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    if (!is_loopback(address)) found.push_back({one->ifa_name, in_text(address)});
  }
  ::freeifaddrs(first);
  return found;
}

std::string own_name() {
  char name[HOST_NAME_MAX + 1] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

NodePlace own_place(const std::string& towards, std::vector<int> ports) {
  NodePlace place{own_name(), source_towards(towards), "", std::move(ports)};
  if (place.address.empty()) place.address = source_towards(kAnywhere);
  const std::vector<OwnAddress> addresses = own_addresses();
  if (place.address.empty() && !addresses.empty()) place.address = addresses.front().address;
  for (const OwnAddress& own : addresses) {
    if (own.address == place.address) place.interface = own.interface;
  }
  return place;
}

base::Json encode_place(const NodePlace& place) {
  return {{"name", place.name},
          {"address", place.address},
          {"interface", place.interface},
          {"ports", place.ports}};
}

NodePlace decode_place(const base::Json& json) {
  return {json.at("name").get<std::string>(), json.at("address").get<std::string>(),
          json.at("interface").get<std::string>(), json.at("ports").get<std::vector<int>>()};
}

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

std::optional<NodePlace> place_told(const AttemptFolder& folder, int node) {
  const auto text = base::read_file(folder.node_place(node), 1 << 16);
  if (!text.ok()) return std::nullopt;
  const auto json = base::parse_json(text.value(), "place");
  if (!json.ok()) return std::nullopt;
  try {
    return decode_place(json.value());
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Result<void> publish_place(const AttemptFolder& folder, int node, const NodePlace& place) {
  return base::write_file(folder.node_place(node),
                          base::to_text(encode_place(place), base::JsonLayout::kIndented));
}

std::vector<NodePlace> places_told(const AttemptFolder& folder, int nodes) {
  std::vector<NodePlace> places;
  for (int node = 0; node < nodes; ++node) {
    auto place = place_told(folder, node);
    if (!place) return {};
    places.push_back(std::move(*place));
  }
  return places;
}

std::vector<std::string> names_told(const AttemptFolder& folder, int nodes) {
  std::vector<std::string> names;
  for (NodePlace& place : places_told(folder, nodes)) names.push_back(std::move(place.name));
  return names;
}

Result<std::vector<NodePlace>> wait_for_all(const AttemptFolder& folder, int nodes,
                                            std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    std::vector<NodePlace> places = places_told(folder, nodes);
    if (!places.empty()) return places;
    if (std::chrono::steady_clock::now() > end) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  std::vector<int> missing;
  for (int node = 0; node < nodes; ++node) {
    if (!place_told(folder, node)) missing.push_back(node);
  }
  return Error{"the nodes of the job did not all come", folder.path.string(),
               fmt::format("nodes {} of {} are missing", fmt::join(missing, ", "), nodes),
               "all nodes must see this folder"};
}

}  // namespace lockstep::service
