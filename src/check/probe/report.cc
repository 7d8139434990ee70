#include <algorithm>

#include <fmt/format.h>

#include "check/flows/required_flows.h"
#include "check/probe/judge.h"
#include "check/probe/probing.h"

namespace lockstep::probe {
namespace {

using base::Json;

constexpr std::size_t kMaxInATable = 12;    // hosts
constexpr std::size_t kMaxSlowest = 5;      // pairs, where there is no table
constexpr std::size_t kMaxFailures = 1000;  // in JSON

double microseconds(const Measure& one) {
  return static_cast<double>(one.latency_ns) / 1e3;
}
double megabytes_per_s(const Measure& one) {
  return static_cast<double>(one.bytes_per_s) / 1e6;
}

std::string_view word_for(network::Reach reach) {
  switch (reach) {
    case network::Reach::kOpen:
      return "open";
    case network::Reach::kBlocked:
      return "blocked";
    case network::Reach::kUnknown:
      return "unknown";
  }
  return "";
}

template <typename Value>
std::string table(std::string_view title, const Probing& probing, const std::vector<std::string>& names,
                  const Value& value_of) {
  std::size_t width = 8;
  for (const std::string& name : names) width = std::max(width, name.size() + 1);
  std::string text = fmt::format("{}\n{:>{}}", title, "", width);
  for (const std::string& name : names) text += fmt::format("{:>{}}", name, width);
  for (std::size_t source = 0; source < names.size(); ++source) {
    text += fmt::format("\n{:<{}}", names[source], width);
    for (std::size_t destination = 0; destination < names.size(); ++destination) {
      const auto found = std::ranges::find_if(probing.measures, [&](const Measure& one) {
        return one.source == source && one.destination == destination;
      });
      const std::string cell =
          found == probing.measures.end() ? "-" : fmt::format("{:.0f}", value_of(*found));
      text += fmt::format("{:>{}}", cell, width);
    }
  }
  return text + "\n";
}

template <typename Value>
std::string slowest(std::string_view title, std::string_view unit, std::vector<Measure> measures,
                    const std::vector<std::string>& names, const Value& badness, const Value& value_of) {
  std::ranges::sort(measures, std::ranges::greater{}, badness);
  std::string text =
      fmt::format("{}: median {:.0f} {}, worst", title, value_of(measures[measures.size() / 2]), unit);
  for (std::size_t at = 0; at < std::min(kMaxSlowest, measures.size()); ++at)
    text += fmt::format("{} {} to {} {:.0f}", at == 0 ? "" : ",", names[measures[at].source],
                        names[measures[at].destination], value_of(measures[at]));
  return text + "\n";
}

std::string measures_in_words(const Probing& probing, const std::vector<std::string>& names) {
  if (probing.measures.empty()) return "";
  if (names.size() <= kMaxInATable)
    return "\n" + table("Latency there and back, microseconds", probing, names, microseconds) + "\n" +
           table("Bandwidth, megabytes per second", probing, names, megabytes_per_s);
  using Value = double (*)(const Measure&);
  const Value slowness = [](const Measure& one) { return -megabytes_per_s(one); };
  const Value latency = microseconds;
  const Value bandwidth = megabytes_per_s;
  return slowest("Latency", "microseconds there and back", probing.measures, names, latency, latency) +
         slowest("Bandwidth", "megabytes per second", probing.measures, names, slowness, bandwidth);
}

Json failure_in_json(const TrialPlan& plan, const Trial& trial, const std::vector<std::string>& names,
                     bool shows_addresses) {
  const Listener& listener = plan.listeners[trial.listener];
  Json made = Json::object();
  made["from"] = names[trial.source];
  made["to"] = names[trial.destination];
  if (shows_addresses) made["address"] = base::to_text(trial.address);
  made["port"] = listener.port;
  made["end"] = word_for(trial.outcome.end);
  made["attempts"] = trial.outcome.attempts;
  made["predicted"] = word_for(plan.expected(trial));
  made["needed_by"] = Json::array();
  for (const flows::FlowKind kind : trial.kinds)
    made["needed_by"].push_back(std::string(flows::meaning_of(kind).what));
  return made;
}

}  // namespace

std::string to_text(const Probing& probing, const std::vector<std::string>& names) {
  const Tally all = tally(probing.plan);
  std::string text = fmt::format(
      "Probe: {} connections tried between {} hosts in {:.1f} s: {} open, {} not; {} as predicted, {} not",
      all.tried, probing.hosts, static_cast<double>(probing.took.count()) / 1e3, all.open,
      all.tried - all.open, all.as_predicted, all.contradicting);
  if (all.without_prediction > 0) text += fmt::format(", {} without a prediction", all.without_prediction);
  return text + "\n" + measures_in_words(probing, names);
}

Json to_json(const Probing& probing, const std::vector<std::string>& names, bool shows_addresses) {
  const Tally all = tally(probing.plan);
  Json made = Json::object();
  made["hosts"] = probing.hosts;
  made["seconds"] = static_cast<double>(probing.took.count()) / 1e3;
  made["tried"] = all.tried;
  made["open"] = all.open;
  made["not_open"] = all.tried - all.open;
  made["as_predicted"] = all.as_predicted;
  made["contradicting"] = all.contradicting;
  made["without_prediction"] = all.without_prediction;
  made["not_tried"] = all.not_tried + probing.plan.without_agent + probing.plan.left_out;
  made["failures"] = Json::array();
  for (const Trial& trial : probing.plan.trials) {
    const bool is_failure =
        trial.outcome.end != End::kNotTried &&
        (!is_open(trial.outcome.end) || probing.plan.expected(trial) == network::Reach::kBlocked);
    if (is_failure && made["failures"].size() < kMaxFailures)
      made["failures"].push_back(failure_in_json(probing.plan, trial, names, shows_addresses));
  }
  if (probing.measures.empty()) return made;
  made["pairs"] = Json::array();
  for (const Measure& one : probing.measures)
    made["pairs"].push_back({{"from", names[one.source]},
                             {"to", names[one.destination]},
                             {"latency_us", microseconds(one)},
                             {"megabytes_per_s", megabytes_per_s(one)}});
  return made;
}

}  // namespace lockstep::probe
