// Whether a flow between two hosts passes: routes of both, their firewalls in both directions, the kernel's
// check of the way back. Each answer names the object that decides and one packet that shows it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hostinfo/host_facts.h"
#include "network/firewall/program.h"
#include "network/firewall/sweep.h"
#include "network/ports.h"

namespace lockstep::network {

// A host and its firewall, which hosts with the same rules share.
struct ReachHost {
  const hostinfo::HostFacts* facts = nullptr;
  std::shared_ptr<const Firewall> firewall = {};
};
ReachHost reach_host(const hostinfo::HostFacts& facts);

struct Flow {
  std::optional<base::Address> source = {};  // empty: the source host's routes choose it
  base::Address destination = {};
  PortSet ports = {};  // of the destination: every one of them must be open
  Protocol protocol = kTcp;
  bool passes_firewall = true;  // RDMA passes by the kernel's
};

enum class Reach { kOpen, kBlocked, kUnknown };

// What decided, on which host.
struct Decider {
  std::string host = {};
  std::string kind = {};  // "route", "policy rule", "firewall", "rp_filter", "address"
  std::string text = {};  // the rule or the route in its own words
  std::string firewall = {};
  std::string table = {};
  std::string chain = {};
  std::optional<std::uint64_t> handle = {};
  bool is_silent = false;  // dropped: the sender waits; otherwise it is told at once

  bool operator==(const Decider&) const = default;
};

struct ShownPacket {
  base::Address source = {};
  std::uint16_t source_port = 0;
  base::Address destination = {};
  std::uint16_t destination_port = 0;
  bool is_reply = false;  // the answer to the flow's first packet
};
std::string to_text(const ShownPacket& packet);

struct FlowVerdict {
  Reach reach = Reach::kOpen;
  std::string why = {};  // one sentence
  std::optional<Decider> decider = {};
  std::optional<ShownPacket> packet = {};
  PortSet blocked_ports = {};        // of the destination
  std::optional<unsigned> mtu = {};  // the smaller of both ends
  bool is_mtu_uneven = false;        // both ends of one network differ
};

FlowVerdict judge_flow(const ReachHost& source, const ReachHost& destination, const Flow& flow);

// One of the four places a flow passes; judge_flow asks all, judge_pairs each by itself.
enum class Place { kLeavingSource, kEnteringDestination, kLeavingDestination, kEnteringSource };

struct PlaceVerdict {
  Reach reach = Reach::kOpen;
  std::string why = {};
  std::optional<Decider> decider = {};
  std::optional<PortPairs::Pair> ports = {};  // as the packet has them
  PortSet blocked_ports = {};                 // of the flow's destination
};

// What is asked of one place. `own` is the address of the host there, `other` that of its peer.
struct PlaceQuestion {
  Place place = Place::kLeavingSource;
  base::Address own = {};
  base::Address other = {};
  const PortSet* flow_ports = nullptr;
  const PortSet* client_ports = nullptr;
  Protocol protocol = kTcp;
  bool passes_firewall = true;
};
PlaceVerdict judge_place(const ReachHost& host, const PlaceQuestion& question);

// The same without the words.
Reach reach_at_place(const hostinfo::HostFacts& host, const Firewall& firewall,
                     const PlaceQuestion& question);

// net.ipv4.ip_local_port_range of the host, from which its clients connect and where its servers listen that
// have no port of their own.
PortSet ephemeral_port_set(const hostinfo::HostFacts& host);

// net.ipv4.ip_local_port_range, or the kernel's default.
PortRange ephemeral_ports(const hostinfo::HostFacts& facts);

}  // namespace lockstep::network
