// What a library would choose on a host, with the reasons in the order in which they decided.
//
// Each emulator is a pure function of a host's facts and the environment that the rank would have there.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::network {

using Environment = std::map<std::string, std::string>;

struct ChosenAddress {
  std::string interface = {};  // empty where the library knows addresses only
  base::Address address = {};

  bool operator==(const ChosenAddress&) const = default;
};

struct Reason {
  std::string text = {};    // "eth0 is the first interface that is neither docker*, lo* nor virbr*"
  std::string source = {};  // what said so: "NCCL_SOCKET_IFNAME", "/etc/hosts", "order of the kernel"

  bool operator==(const Reason&) const = default;
};

struct Choice {
  std::vector<ChosenAddress> addresses = {};  // the first is the one that counts where only one is used
  std::string failure = {};  // what the library says when it finds none; then addresses are empty
  std::vector<Reason> trail = {};

  bool failed() const { return addresses.empty(); }
  void because(std::string text, std::string source) {
    trail.push_back({std::move(text), std::move(source)});
  }
  void fail(std::string words, std::string source) {
    failure = words;
    because(std::move(words), std::move(source));
  }
};

// 2.30.7 is {2, 30, 7}; what is not given is 0.
struct LibraryVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  auto operator<=>(const LibraryVersion&) const = default;
};
LibraryVersion parse_version(std::string_view text);

// Empty when it is not set.
std::string_view variable_in(const Environment& environment, const std::string& name);

// Whether a socket could be bound to it on this host.
bool is_bindable(const hostinfo::HostFacts& facts, const base::Address& address);

std::vector<std::string_view> split_list(std::string_view text, char between = ',');

}  // namespace lockstep::network
