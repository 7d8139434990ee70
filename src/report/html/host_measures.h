// What real packets said of the ways between hosts, as the page shows it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"

namespace lockstep::html {

struct PairMeasure {
  std::size_t from = 0;  // places among the hosts
  std::size_t to = 0;
  double latency_us = 0;
  double megabytes_per_s = 0;
};

struct PairFailure {
  std::size_t from = 0;
  std::size_t to = 0;
  std::int64_t port = 0;
  std::string end;  // "silent", as the findings file has it
  std::vector<std::string> needed_by = {};
};

struct HostMeasures {
  std::vector<std::string> hosts = {};
  std::vector<PairMeasure> pairs = {};
  std::vector<PairFailure> failures = {};
  std::size_t hosts_left_out = 0;

  bool empty() const { return pairs.empty(); }
};

inline constexpr std::size_t kMostMeasuredHosts = 128;

// From `probe` of a findings file, which anyone may have written: what does not fit is passed over. Of more
// hosts than the page shows, those with the slowest pairs stay.
HostMeasures measures_in(const base::Json& probe, std::size_t most_hosts = kMostMeasuredHosts);

}  // namespace lockstep::html
