#include "check/rules/judge.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "check/rules/evaluate.h"

namespace lockstep::rules {

std::string worded(const Wording& wording, const Scope& scope) {
  std::string text;
  for (const Wording::Part& part : wording.parts) {
    if (!part.expression) {
      text += part.text;
      continue;
    }
    const Value value = value_of(*part.expression, scope);
    text += value.is_known() ? in_words(value.json()) : "?";
  }
  return text;
}

namespace {

using base::Json;

// Pieces of evidence in a finding: enough for every value of a rule on a few hosts, and still read by people.
constexpr std::size_t kMaxEvidence = 12;

std::string dotted(std::string path) {
  std::ranges::replace(path, '/', '.');
  return path;
}

// One place that a rule is asked about, with the values around it.
struct Place {
  Scope scope;
  const config::LaunchConfig* launch = nullptr;
  std::string host;                   // name; empty for launches and jobs
  std::vector<std::size_t> launches;  // those that run together, of a job
};

class Judge {
 public:
  explicit Judge(const Situation& situation) : situation_(situation) {
    hosts_ = Json::array();
    for (const HostDocument& host : situation.hosts) hosts_.push_back(host.facts);
    launches_ = Json::array();
    for (const config::LaunchConfig& launch : situation.configuration.launches)
      launches_.push_back(launch.view().tree());
    for (std::size_t host = 0; host < hosts_.size(); ++host) environments_.push_back(environment_on(host));
  }

  std::vector<Hit> judge(std::span<const Rule> rules) {
    for (const Subject subject : {Subject::kLaunch, Subject::kHost, Subject::kJob})
      places_[subject] = places_of(subject);
    std::vector<Hit> hits;
    for (const Rule& rule : rules) {
      if (auto hit = ask(rule)) hits.push_back(*std::move(hit));
    }
    std::ranges::stable_sort(
        hits, [](const Hit& a, const Hit& b) { return a.finding.confidence > b.finding.confidence; });
    return hits;
  }

 private:
  // The launch that a host runs: its own where there are as many as hosts, the first otherwise.
  const config::LaunchConfig* launch_on(std::size_t host) const {
    const auto& launches = situation_.configuration.launches;
    if (launches.empty()) return nullptr;
    return &launches[config::have_own_launches(launches, hosts_.size()) ? host : 0];
  }

  // What a rank has on the host: the host's own variables, those of the launch above them.
  Json environment_on(std::size_t host) const {
    const config::LaunchConfig* const launch = launch_on(host);
    Json environment = Json::object();
    const auto own = hosts_[host].find("environment");
    if (own != hosts_[host].end() && own->is_object()) environment = *own;
    const Json* const given =
        launch == nullptr ? nullptr : launch->view().find(config::Fields::kVariables.text());
    if (given != nullptr && given->is_object()) environment.update(*given);
    return environment;
  }

  // Launches that may run at the same time. Those of one script run one after the other, but for what runs in
  // the background then; scripts that are given together are of one job.
  std::vector<std::vector<std::size_t>> moments() const {
    std::map<std::string, std::vector<std::vector<std::size_t>>> by_file;
    const auto& launches = situation_.configuration.launches;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      std::string file = launches[i].text(config::Fields::kStartFile);
      if (file.empty()) file = fmt::format("\n{}", i);
      std::vector<std::size_t> together = runs_beside(i);
      together.push_back(i);
      std::erase_if(by_file[file], [&](const std::vector<std::size_t>& earlier) {
        return std::ranges::includes(together, earlier);
      });
      by_file[file].push_back(std::move(together));
    }
    std::size_t most = 0;
    for (const auto& [file, own] : by_file) most = std::max(most, own.size());
    const bool are_alike =
        std::ranges::all_of(by_file, [&](const auto& file) { return file.second.size() == most; });
    std::vector<std::vector<std::size_t>> moments;
    if (are_alike) moments.resize(most);
    for (const auto& [file, own] : by_file) {
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (!are_alike) moments.emplace_back();
        std::vector<std::size_t>& moment = are_alike ? moments[i] : moments.back();
        moment.insert(moment.end(), own[i].begin(), own[i].end());
      }
    }
    for (std::vector<std::size_t>& moment : moments) std::ranges::sort(moment);
    if (moments.empty()) moments.emplace_back();
    return moments;
  }

  std::vector<std::size_t> runs_beside(std::size_t launch) const {
    const auto& launches = situation_.configuration.launches;
    const Json* const numbers = launches[launch].view().find(config::Fields::kStartAlongside.text());
    std::vector<std::size_t> others;
    for (std::size_t i = 0; numbers != nullptr && numbers->is_array() && i < launches.size(); ++i) {
      const auto number = launches[i].number(config::Fields::kStartNumber);
      if (i != launch && number && std::ranges::find(*numbers, Json(*number)) != numbers->end())
        others.push_back(i);
    }
    return others;
  }

  Place around_moment(std::vector<std::size_t> members) const {
    const auto& launches = situation_.configuration.launches;
    Place place;
    place.launch = members.empty() ? nullptr : &launches[members.front()];
    Json together = Json::array();
    for (const std::size_t member : members) together.push_back(launches_[member]);
    place.launches = std::move(members);
    if (!hosts_.empty()) place.scope.names.emplace_back("hosts", Value(hosts_, "hosts"));
    moments_.push_back(std::make_unique<Json>(std::move(together)));
    place.scope.names.emplace_back("launches", Value(*moments_.back(), "launches"));
    if (place.launch != nullptr) place.scope.launch = &place.launch->view().tree();
    return place;
  }

  Place around_all(const config::LaunchConfig* launch) const {
    Place place;
    place.launch = launch;
    if (!hosts_.empty()) place.scope.names.emplace_back("hosts", Value(hosts_, "hosts"));
    place.scope.names.emplace_back("launches", Value(launches_, "launches"));
    if (launch != nullptr) place.scope.launch = &launch->view().tree();
    return place;
  }

  std::vector<Place> places_of(Subject subject) const {
    const auto& launches = situation_.configuration.launches;
    std::vector<Place> places;
    if (subject == Subject::kJob) {
      for (std::vector<std::size_t>& moment : moments()) places.push_back(around_moment(std::move(moment)));
    }
    if (subject == Subject::kLaunch) {
      for (const config::LaunchConfig& launch : launches) places.push_back(around_all(&launch));
    }
    for (std::size_t i = 0; subject == Subject::kHost && i < hosts_.size(); ++i) {
      Place place = around_all(launch_on(i));
      place.scope.names.emplace_back("env", Value(environments_[i], "env"));
      place.scope.names.emplace_back("host", Value(hosts_[i], fmt::format("hosts/{}", i)));
      place.host = base::text_at(hosts_[i], "host");
      places.push_back(std::move(place));
    }
    return places;
  }

  std::optional<Hit> ask(const Rule& rule) const {
    std::optional<Hit> hit;
    for (const Place& place : places_.at(rule.subject)) {
      if (!is_true(value_of(rule.when, place.scope))) continue;
      if (!hit) {
        hit = Hit{&rule, begin_finding(rule, place), {}};
      }
      if (!place.host.empty()) hit->hosts.push_back(place.host);
      add_evidence(evaluate(rule.when, place.scope).read, place, hit->finding);
    }
    if (hit && hit->hosts.size() > 1) {
      hit->finding.title += fmt::format(" (on {} hosts)", hit->hosts.size());
      hit->finding.explanation += fmt::format(" Hosts: {}.", fmt::join(hit->hosts, ", "));
    } else if (hit && hit->hosts.size() == 1) {
      hit->finding.explanation += fmt::format(" Host: {}.", hit->hosts.front());
    }
    return hit;
  }

  static std::string worded(const Wording& wording, const Place& place) {
    return rules::worded(wording, place.scope);
  }

  model::Finding begin_finding(const Rule& rule, const Place& place) const {
    model::Finding finding;
    finding.leaf = rule.leaf;
    finding.code = rule.code;
    finding.scope = model::Scope::kDistributed;
    finding.confidence = confidence_of(rule);
    finding.title = worded(rule.title, place);
    finding.explanation = worded(rule.says, place);
    if (!rule.sees.parts.empty())
      finding.explanation += fmt::format(" The job would say: {}.", worded(rule.sees, place));
    model::Fix fix = rule.fix;
    for (const Wording& command : rule.fix_commands) fix.commands.push_back(worded(command, place));
    finding.fixes.push_back(std::move(fix));
    return finding;
  }

  void add_evidence(const std::vector<std::string>& read, const Place& place, model::Finding& finding) const {
    for (const std::string& path : read) {
      if (finding.evidence.size() >= kMaxEvidence) return;
      if (auto evidence = evidence_at(path, place)) {
        if (std::ranges::find(finding.evidence, *evidence) == finding.evidence.end())
          finding.evidence.push_back(*std::move(evidence));
      }
    }
  }

  // "launches/0/env/X" and "env/X" are values of a launch, "hosts/2/versions/torch" of a host.
  std::optional<model::Evidence> evidence_at(const std::string& path, const Place& place) const {
    const std::size_t first = path.find('/');
    const std::size_t second = path.find('/', first + 1);
    if (path.starts_with("hosts/") && second != std::string::npos && !hosts_.empty()) {
      const std::size_t host = std::stoul(path.substr(first + 1, second - first - 1));
      return evidence_of(hosts_[host], path.substr(second + 1), situation_.hosts[host].file, std::nullopt,
                         fmt::format(" on {}", base::text_at(hosts_[host], "host")));
    }
    const config::LaunchConfig* launch = place.launch;
    std::string inside = path;
    if (path.starts_with("launches/") && second != std::string::npos) {
      const std::size_t number = std::stoul(path.substr(first + 1, second - first - 1));
      const std::size_t at = place.launches.empty() ? number : place.launches[number];
      launch = &situation_.configuration.launches[at];
      inside = path.substr(second + 1);
    }
    if (launch == nullptr) return std::nullopt;
    const config::Origin* origin = launch->view().origin_of(inside);
    if (origin == nullptr) return std::nullopt;
    const std::string how = origin->how.empty() ? "" : fmt::format(" ({})", origin->how);
    return evidence_of(launch->view().tree(), inside, origin->file.empty() ? "command line" : origin->file,
                       origin->line, how);
  }

  static std::optional<model::Evidence> evidence_of(const Json& tree, const std::string& path,
                                                    const std::string& file, std::optional<std::int64_t> line,
                                                    const std::string& after) {
    const Json* at = &tree;
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      const std::string part(rest.substr(0, slash));
      rest.remove_prefix(std::min(slash + 1, rest.size()));
      if (at->is_array()) {
        at = &(*at)[std::stoul(part)];
      } else if (at->is_object() && at->contains(part)) {
        at = &(*at)[part];
      } else {
        return std::nullopt;
      }
    }
    if (at->is_structured()) return std::nullopt;
    model::Evidence evidence;
    evidence.file = file;
    evidence.line = line;
    evidence.text = fmt::format("{} = {}{}", dotted(path), in_words(*at), after);
    return evidence;
  }

  const Situation& situation_;
  Json hosts_;
  Json launches_;
  std::vector<Json> environments_;                      // by host
  mutable std::vector<std::unique_ptr<Json>> moments_;  // what `launches` is in each
  std::map<Subject, std::vector<Place>> places_;
};

}  // namespace

std::vector<Hit> apply(std::span<const Rule> rules, const Situation& situation) {
  return Judge(situation).judge(rules);
}

}  // namespace lockstep::rules
