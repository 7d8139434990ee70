#include "report/html/hosts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/escape.h"
#include "base/json.h"

namespace lockstep::html {

namespace {

using base::Json;

std::optional<double> figure_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

Json list_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : Json::array();
}

class Places {
 public:
  explicit Places(std::vector<std::string>& names) : names_(names) {}

  std::optional<std::size_t> of(const std::string& name) {
    if (name.empty()) return std::nullopt;
    const auto [found, is_new] = places_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }

 private:
  std::vector<std::string>& names_;
  std::map<std::string, std::size_t> places_;
};

std::optional<PairMeasure> measure_in(const Json& pair, Places& places) {
  if (!pair.is_object()) return std::nullopt;
  const auto latency = figure_in(pair, "latency_us");
  const auto bandwidth = figure_in(pair, "megabytes_per_s");
  if (!latency || !bandwidth) return std::nullopt;
  const auto from = places.of(base::text_at(pair, "from"));
  const auto to = places.of(base::text_at(pair, "to"));
  if (!from || !to) return std::nullopt;
  return PairMeasure{*from, *to, *latency, *bandwidth};
}

std::optional<PairFailure> failure_in(const Json& failure, Places& places) {
  if (!failure.is_object()) return std::nullopt;
  const std::string end = base::text_at(failure, "end");
  if (end.empty() || end.starts_with("open")) return std::nullopt;
  const auto from = places.of(base::text_at(failure, "from"));
  const auto to = places.of(base::text_at(failure, "to"));
  if (!from || !to) return std::nullopt;
  PairFailure made{.from = *from, .to = *to, .port = 0, .end = end};
  if (const auto port = figure_in(failure, "port"); port && *port <= 65535)
    made.port = static_cast<std::int64_t>(*port);
  for (const Json& what : list_in(failure, "needed_by"))
    if (what.is_string()) made.needed_by.push_back(what.get<std::string>());
  return made;
}

// The places of those hosts that stay, in their order.
std::vector<std::size_t> slowest_hosts(const HostMeasures& all, std::size_t most) {
  std::vector<double> slowest(all.hosts.size(), std::numeric_limits<double>::infinity());
  for (const PairMeasure& pair : all.pairs)
    for (const std::size_t host : {pair.from, pair.to})
      slowest[host] = std::min(slowest[host], pair.megabytes_per_s);
  std::vector<std::size_t> order(all.hosts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t host) { return slowest[host]; });
  order.resize(most);
  std::ranges::sort(order);
  return order;
}

template <typename Pair>
std::vector<Pair> among(const std::vector<Pair>& pairs, const std::map<std::size_t, std::size_t>& places) {
  std::vector<Pair> kept;
  for (const Pair& pair : pairs) {
    const auto from = places.find(pair.from);
    const auto to = places.find(pair.to);
    if (from == places.end() || to == places.end()) continue;
    kept.push_back(pair);
    kept.back().from = from->second;
    kept.back().to = to->second;
  }
  return kept;
}

HostMeasures bounded(HostMeasures all, std::size_t most) {
  if (all.hosts.size() <= most) return all;
  HostMeasures kept;
  std::map<std::size_t, std::size_t> places;
  for (const std::size_t host : slowest_hosts(all, most)) {
    places[host] = kept.hosts.size();
    kept.hosts.push_back(all.hosts[host]);
  }
  kept.pairs = among(all.pairs, places);
  kept.failures = among(all.failures, places);
  kept.hosts_left_out = all.hosts.size() - most;
  return kept;
}

}  // namespace

HostMeasures measures_in(const Json& probe, std::size_t max_hosts) {
  HostMeasures made;
  if (!probe.is_object()) return made;
  Places places(made.hosts);
  for (const Json& pair : list_in(probe, "pairs"))
    if (const auto measure = measure_in(pair, places)) made.pairs.push_back(*measure);
  for (const Json& failure : list_in(probe, "failures"))
    if (auto found = failure_in(failure, places)) made.failures.push_back(std::move(*found));
  return bounded(std::move(made), max_hosts);
}

namespace {

using base::Json;

constexpr std::size_t kMaxRows = 200;

std::optional<std::size_t> place_in(const std::string& text) {
  std::size_t place = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), place);
  return fault == std::errc{} && end == text.data() + text.size() ? std::optional(place) : std::nullopt;
}

std::optional<HostRow> row_in(const Json& json, std::size_t rows) {
  if (!json.is_object()) return std::nullopt;
  const auto hosts = json.find("hosts");
  const auto cells = json.find("cells");
  if (hosts == json.end() || !hosts->is_string() || cells == json.end() || !cells->is_string())
    return std::nullopt;
  HostRow row{hosts->get<std::string>(), cells->get<std::string>()};
  if (row.cells.size() != rows || row.cells.find_first_not_of("x?. ") != std::string::npos)
    return std::nullopt;
  const auto why = json.find("why");
  if (why == json.end() || !why->is_object()) return row;
  for (const auto& [place, text] : why->items()) {
    const auto at = place_in(place);
    if (at && *at < rows && text.is_string()) row.why[*at] = text.get<std::string>();
  }
  return row;
}

}  // namespace

Json encode(const std::vector<HostRow>& rows) {
  Json json = Json::array();
  for (const HostRow& row : rows) {
    Json why = Json::object();
    for (const auto& [place, text] : row.why) why[std::to_string(place)] = base::to_valid_utf8(text);
    json.push_back(
        {{"hosts", base::to_valid_utf8(row.hosts)}, {"cells", row.cells}, {"why", std::move(why)}});
  }
  return json;
}

std::vector<HostRow> decode_host_rows(const Json& matrix) {
  if (!matrix.is_array() || matrix.size() > kMaxRows) return {};
  std::vector<HostRow> rows;
  for (const Json& json : matrix) {
    auto row = row_in(json, matrix.size());
    if (!row) return {};
    rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace lockstep::html
