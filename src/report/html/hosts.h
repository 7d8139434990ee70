// What a check found about hosts, as the page shows it: which hosts reach which, and what was measured
// between them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace lockstep::html {

// Latency and bandwidth between two hosts, as measured.
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

inline constexpr std::size_t kMaxMeasuredHosts = 128;  // a square that a screen can show

// From `probe` of a findings file, which anyone may have written: what does not fit is passed over. Of more
// hosts than the page shows, those with the slowest pairs stay.
HostMeasures measures_in(const base::Json& probe, std::size_t max_hosts = kMaxMeasuredHosts);

// Which hosts a host reaches, or several that are alike.
struct HostRow {
  std::string hosts;
  std::string cells;                            // x blocked, ? not known, . open; one for each row
  std::map<std::size_t, std::string> why = {};  // what decides, for blocked cells by their place

  bool operator==(const HostRow&) const = default;
};

base::Json encode(const std::vector<HostRow>& rows);

// From `matrix` of a findings file, which anyone may have written: nothing, unless it is a square.
std::vector<HostRow> decode_host_rows(const base::Json& matrix);

}  // namespace lockstep::html
