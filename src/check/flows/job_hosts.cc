#include "check/flows/job_hosts.h"

#include <algorithm>

#include "config/configuration.h"

namespace lockstep::flows {
namespace {

using base::Address;
using config::Fields;
using hostinfo::HostFacts;

// What a rank has on the host: the host's own variables, those of the launch above them.
network::Environment environment_on(const HostFacts& host, const config::LaunchConfig& launch) {
  network::Environment environment = host.environment;
  const auto take = [&](const config::Field<config::TextMap>& variables, const std::string& prefix) {
    if (const auto given = launch.get(variables))
      for (const auto& [name, value] : given->value) environment[prefix + name] = value;
  };
  take(Fields::kVariables, "");
  take(Fields::kMpiParameters, "OMPI_MCA_");
  return environment;
}

std::string short_name(const std::string& name) {
  return name.substr(0, name.find('.'));
}

}  // namespace

JobHosts::JobHosts(std::span<const config::LaunchConfig> launches, std::span<const HostFacts> facts)
    : launch_(launches.front()), facts_(facts) {
  const bool has_own_launches = config::have_own_launches(launches, facts.size());
  for (std::size_t at = 0; at < facts.size(); ++at) {
    environments_.push_back(environment_on(facts[at], launches[has_own_launches ? at : 0]));
    for (const hostinfo::Interface& interface : facts[at].interfaces)
      for (const hostinfo::InterfaceAddress& own : interface.addresses)
        holders_.try_emplace(own.prefix.address, at);
    for (const std::string& name : {facts[at].name, facts[at].full_name, short_name(facts[at].name)})
      if (!name.empty()) names_.try_emplace(name, at);
  }
  if (launch_.count(Fields::kHostList) > 0) {
    const std::string first = launch_.text(Fields::host_name(0));
    launching_ = named(first.substr(first.find('@') + 1)).value_or(0);
  }
}

std::optional<std::size_t> JobHosts::with_address(const Address& address) const {
  const auto found = holders_.find(address);
  return found == holders_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> JobHosts::named(const std::string& name) const {
  if (const auto address = base::parse_address(name)) return with_address(*address);
  for (const std::string& word : {name, short_name(name)})
    if (const auto found = names_.find(word); found != names_.end()) return found->second;
  return std::nullopt;
}

std::optional<Address> JobHosts::resolved(std::size_t from, const std::string& name) const {
  if (const auto literal = base::parse_address(name)) return literal;
  const hostinfo::ResolvedName* const answer = facts_[from].resolved(name);
  if (answer == nullptr || answer->any.empty()) return std::nullopt;
  return base::unmapped(answer->any.front());
}

bool JobHosts::have_gpus() const {
  return std::ranges::any_of(facts_, [](const HostFacts& host) { return !host.gpus.gpus.empty(); });
}

}  // namespace lockstep::flows
