// The hosts of a job as its launch finds them: what each rank's environment would be, who has an address,
// from where the job is launched.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/launch_config.h"
#include "network/choices/choice.h"

namespace lockstep::flows {

class JobHosts {
 public:
  // Of as many launches as hosts each is that of its host; otherwise the first is that of all.
  JobHosts(std::span<const config::LaunchConfig> launches, std::span<const hostinfo::HostFacts> facts);

  const config::LaunchConfig& launch() const { return launch_; }
  std::span<const hostinfo::HostFacts> facts() const { return facts_; }
  std::size_t size() const { return facts_.size(); }
  const hostinfo::HostFacts& operator[](std::size_t host) const { return facts_[host]; }
  const network::Environment& environment(std::size_t host) const { return environments_[host]; }

  std::optional<std::size_t> with_address(const base::Address& address) const;
  std::optional<std::size_t> named(const std::string& name) const;  // by its own, full or short name
  // Where a name leads from a host: the first address that its resolver gives, or the literal.
  std::optional<base::Address> resolved(std::size_t from, const std::string& name) const;

  // The first of the host list, on which people launch; the first of all without one.
  std::size_t launching() const { return launching_; }

  bool have_gpus() const;

 private:
  const config::LaunchConfig& launch_;
  std::span<const hostinfo::HostFacts> facts_;
  std::vector<network::Environment> environments_;
  std::map<base::Address, std::size_t> holders_;
  std::map<std::string, std::size_t> names_;
  std::size_t launching_ = 0;
};

}  // namespace lockstep::flows
