// Which way a packet leaves a host: policy rules in order, then the longest prefix, as the kernel does it.
#pragma once

#include <string>

#include "hostinfo/host_facts.h"

namespace lockstep::network {

enum class RouteEnd { kFound, kNoRoute, kRefused, kUnknown };

struct RouteAnswer {
  RouteEnd end = RouteEnd::kNoRoute;
  const hostinfo::Route* route = nullptr;      // also the one that refuses
  const hostinfo::PolicyRule* rule = nullptr;  // that led to its table, or that is not understood
  std::string interface = {};
  std::optional<base::Address> source = {};  // what the kernel would put in
  bool is_local = false;
  std::string why = {};  // for people, when there is no way
};

// `source` is the address the sender is bound to, if it is.
RouteAnswer look_up_route(const hostinfo::HostFacts& host, const base::Address& destination,
                          const std::optional<base::Address>& source);

// What the kernel would put in as source, and nothing else of the answer.
struct RouteSource {
  RouteEnd end = RouteEnd::kNoRoute;
  std::optional<base::Address> address = {};
};
RouteSource look_up_source(const hostinfo::HostFacts& host, const base::Address& destination);

std::string to_text(const hostinfo::Route& route);

}  // namespace lockstep::network
