#include "check/repair/patch.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "check/flows/job_hosts.h"
#include "check/repair/launch_value.h"
#include "check/repair/system_setting.h"

namespace lockstep::repair {
namespace {

namespace field = config::field;
using Values = std::vector<std::optional<std::string>>;  // of one variable, by host

class Patching {
 public:
  explicit Patching(const Situation& situation) : before_(situation), result_{.situation = situation} {
    launches_before_ = read(situation).launches;
    launches_ = launches_before_.size();
    if (launches_ == 0) return;
    const flows::JobHosts hosts(launches_before_, situation.hosts);
    for (std::size_t at = 0; at < hosts.size(); ++at) environments_.push_back(hosts.environment(at));
  }

  Patched apply(std::span<const Edit> edits) {
    apply_variables(edits);
    for (const Edit& edit : edits) {
      if (edit.kind == EditKind::kLaunch) apply_to_launches(edit);
      if (edit.kind == EditKind::kSystem) apply_to_system(edit);
    }
    return std::move(result_);
  }

 private:
  bool has_own_launches() const { return launches_ == before_.hosts.size() && launches_ > 1; }

  void apply_variables(std::span<const Edit> edits) {
    std::map<std::string, Values> wanted;
    for (const Edit& edit : edits) {
      if (edit.kind != EditKind::kEnvironment) continue;
      const auto [place, is_new] = wanted.try_emplace(edit.name);
      if (is_new) place->second = values_of(edit.name);
      for (std::size_t host = 0; host < std::max<std::size_t>(before_.hosts.size(), 1); ++host)
        if (!edit.host || *edit.host == host) place->second[host] = edit.value;
    }
    for (const auto& [name, values] : wanted) set_variable(name, values);
  }

  Values values_of(const std::string& name) const {
    Values values(std::max<std::size_t>(before_.hosts.size(), 1));
    for (std::size_t host = 0; host < environments_.size(); ++host) {
      const auto found = environments_[host].find(name);
      if (found != environments_[host].end()) values[host] = found->second;
    }
    return values;
  }

  // A value that all hosts share stands in the launch; others stand in the launch of their host where each
  // has its own, or in the environment of the host.
  void set_variable(const std::string& name, const Values& values) {
    const bool are_equal = std::ranges::all_of(values, [&](const auto& one) { return one == values[0]; });
    if (has_own_launches()) {
      const Values old = values_of(name);
      for (std::size_t host = 0; host < values.size(); ++host)
        if (values[host] != old[host]) in_launch(host, field::variable(name), values[host]);
      return;
    }
    const Values old = values_of(name);
    const bool stood_in_launch = is_in_launch(name);
    for (std::size_t launch = 0; launch < launches_; ++launch)
      in_launch(launch, field::variable(name), are_equal ? values[0] : std::nullopt);
    const bool stands_in_file = !before_.inputs.files.empty() && before_.inputs.command.empty();
    if (are_equal && stands_in_file) return;
    for (std::size_t host = 0; host < before_.hosts.size(); ++host)
      if (stood_in_launch || values[host] != old[host]) on_host(host, name, old[host], values[host]);
  }

  bool is_in_launch(const std::string& name) const {
    return std::ranges::any_of(
        launches_before_, [&](const config::Settings& launch) { return launch.has(field::variable(name)); });
  }

  void on_host(std::size_t host, const std::string& name, const std::optional<std::string>& before,
               const std::optional<std::string>& value) {
    hostinfo::HostFacts& facts = result_.situation.hosts[host];
    if (value) {
      facts.environment[name] = *value;
    } else {
      facts.environment.erase(name);
    }
    result_.situation.renew_document(host);
    result_.hosts.push_back(
        {facts.name, EditKind::kEnvironment, variable_command(name, value), name, value, before});
  }

  void apply_to_launches(const Edit& edit) {
    for (std::size_t launch = 0; launch < launches_; ++launch)
      if (!edit.launch || *edit.launch == launch) in_launch(launch, edit.name, edit.value);
  }

  void in_launch(std::size_t launch, const std::string& path, const std::optional<std::string>& value) {
    if (!set_launch_value(result_.situation, launch, path, value))
      result_.refused.push_back(fmt::format("{} of launch {}", path, launch + 1));
  }

  void apply_to_system(const Edit& edit) {
    for (std::size_t host = 0; host < before_.hosts.size(); ++host) {
      if (edit.host && *edit.host != host) continue;
      hostinfo::HostFacts& facts = result_.situation.hosts[host];
      const auto files_before = facts.files;
      HostChange change{facts.name, EditKind::kSystem, set_system(facts, edit.name, edit.value.value_or(""))};
      for (const auto& [file, text] : facts.files) {
        const auto old = files_before.find(file);
        if (old == files_before.end() || old->second != text)
          change.file = {file, old == files_before.end() ? "" : old->second, text};
      }
      result_.situation.renew_document(host);
      result_.hosts.push_back(std::move(change));
    }
  }

  const Situation& before_;
  Patched result_;
  std::vector<config::Settings> launches_before_;
  std::size_t launches_ = 0;
  std::vector<network::Environment> environments_;
};

}  // namespace

Patched patched(const Situation& situation, std::span<const Edit> edits) {
  return Patching(situation).apply(edits);
}

}  // namespace lockstep::repair
