#include "check/repair/patch.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/text_fields.h"
#include "check/flows/job_hosts.h"
#include "check/repair/launch_value.h"
#include "hostinfo/host_facts.h"

namespace lockstep::repair {
namespace {

using config::Fields;

constexpr const char* kHostsFile = "/etc/hosts";

// Names come from facts: nothing else may get into a command.
bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '.' || letter == '-' || letter == '_';
  });
}

bool is_space_or_tab(char letter) {
  return letter == ' ' || letter == '\t';
}

// Behind the address; a comment has no names.
std::string without_name(std::string_view line, std::string_view name) {
  std::string made(line);
  const std::size_t comment = std::min(made.find('#'), made.size());
  for (std::size_t at = made.find(name); at < comment; at = made.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_word =
        at > 0 && is_space_or_tab(made[at - 1]) && (end == made.size() || is_space_or_tab(made[end]));
    if (is_word) return made.replace(at - 1, std::min(end + 1, made.size()) - at + 1, " ");
  }
  return made;
}

std::string command_for(const std::string& name, const std::string& address) {
  std::string pattern;
  for (const char letter : name) pattern += letter == '.' ? std::string("\\.") : std::string(1, letter);
  return fmt::format(
      "new=$(sed -E '/^[^#]*[[:space:]]{1}([[:space:]]|$)/s/[[:space:]]{1}([[:space:]]|$)/ /' {0}) && "
      "printf '%s\\n' \"$new\" '{2} {3}' > {0}",
      kHostsFile, pattern, address, name);
}

// The name taken out of every line and given a line of its own.
std::string with_name(std::string_view hosts_file, std::string_view name, std::string_view address) {
  std::string made;
  base::Lines lines(hosts_file);
  while (const auto line = lines.next()) made += without_name(*line, name) + "\n";
  return made + fmt::format("{} {}\n", address, name);
}

// As the host would tell of itself with the name in its file. Gives the command; nothing where it is no name
// or no address.
std::string set_name(hostinfo::HostFacts& facts, const std::string& name, const std::string& address) {
  const auto parsed = base::parse_address(address);
  if (!is_name(name) || !parsed) return "";
  facts.files[kHostsFile] = with_name(facts.files[kHostsFile], name, address);
  auto known = std::ranges::find(facts.names, name, &hostinfo::ResolvedName::name);
  if (known == facts.names.end()) known = facts.names.insert(facts.names.end(), {.name = name});
  *known = {.name = name, .any = {*parsed}, .ipv4 = {*parsed}, .ipv4_error = {}, .canonical = name};
  return command_for(name, address);
}

// A setting of a host's system: "shm" (bytes), "nofile", "mtu IFACE", or a sysctl. Gives the command.
std::string set_system(hostinfo::HostFacts& facts, const std::string& setting, const std::string& value) {
  const auto number = base::number_in<std::uint64_t>(value).value_or(0);
  if (setting == "shm") {
    if (facts.shared_memory) facts.shared_memory->total_bytes = number;
    return fmt::format("mount -o remount,size={} /dev/shm", number);
  }
  if (setting == "nofile") {
    facts.limits["nofile"].soft = number;
    return fmt::format("ulimit -n {}", number);
  }
  if (setting.starts_with("mtu ")) {
    const std::string name = setting.substr(4);
    for (hostinfo::Interface& interface : facts.interfaces)
      if (interface.name == name) interface.mtu = static_cast<unsigned>(number);
    return fmt::format("ip link set dev {} mtu {}", name, number);
  }
  if (setting.starts_with("name ")) return set_name(facts, setting.substr(5), value);
  facts.sysctls[setting] = value;
  if (setting == "net.ipv4.neigh.default.gc_thresh3")
    facts.neighbours.ipv4_limit = static_cast<std::int64_t>(number);
  return fmt::format("sysctl -w {}={}", setting, value);
}

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
  bool has_own_launches() const {
    return launches_ > 1 && config::have_own_launches(launches_before_, before_.hosts.size());
  }

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
        if (values[host] != old[host]) in_launch(host, Fields::variable(name), values[host]);
      return;
    }
    const Values old = values_of(name);
    const bool stood_in_launch = is_in_launch(name);
    for (std::size_t launch = 0; launch < launches_; ++launch)
      in_launch(launch, Fields::variable(name), are_equal ? values[0] : std::nullopt);
    const bool stands_in_file = !before_.inputs.files.empty() && before_.inputs.command.empty();
    if (are_equal && stands_in_file) return;
    for (std::size_t host = 0; host < before_.hosts.size(); ++host)
      if (stood_in_launch || values[host] != old[host]) on_host(host, name, old[host], values[host]);
  }

  bool is_in_launch(const std::string& name) const {
    return std::ranges::any_of(launches_before_, [&](const config::LaunchConfig& launch) {
      return launch.has(Fields::variable(name));
    });
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
      if (!edit.launch || *edit.launch == launch) in_launch(launch, *edit.field, edit.value);
  }

  void in_launch(std::size_t launch, const config::FieldPath& field,
                 const std::optional<std::string>& value) {
    if (!set_launch_value(result_.situation, launch, field, value))
      result_.refused.push_back(fmt::format("{} of launch {}", field.text(), launch + 1));
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
  std::vector<config::LaunchConfig> launches_before_;
  std::size_t launches_ = 0;
  std::vector<network::Environment> environments_;
};

}  // namespace

Patched patched(const Situation& situation, std::span<const Edit> edits) {
  return Patching(situation).apply(edits);
}

}  // namespace lockstep::repair
