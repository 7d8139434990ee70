#include "network/reach_hosts.h"

#include <unordered_map>

#include "network/firewall/read_firewall.h"

namespace lockstep::network {
namespace {

// About half a gigabyte of rules that one host has alone; those of several hosts are always kept.
constexpr std::size_t kMostInstructions = 1'000'000;

std::size_t instructions_in(const Firewall& firewall) {
  std::size_t sum = 0;
  for (const Program& program : firewall.programs) sum += program.instructions.size();
  return sum;
}

std::size_t hash_of(const hostinfo::FirewallTexts& texts) {
  std::size_t hash = std::hash<base::Json>{}(texts.nftables) + (texts.was_seen ? 1 : 0);
  for (const hostinfo::IptablesText& text : texts.iptables)
    hash = hash * 31 + std::hash<std::string>{}(text.text) + static_cast<std::size_t>(text.kind);
  return hash;
}

}  // namespace

ReachHosts::ReachHosts(std::span<const hostinfo::HostFacts> facts) : facts_(facts) {
  std::unordered_multimap<std::size_t, std::size_t> first_hosts;  // by hash
  std::vector<std::size_t> first_of_set;
  for (std::size_t host = 0; host < facts.size(); ++host) {
    const std::size_t hash = hash_of(facts[host].firewall);
    std::size_t found = kept_.size();
    const auto [begin, end] = first_hosts.equal_range(hash);
    for (auto at = begin; at != end && found == kept_.size(); ++at)
      if (facts[first_of_set[at->second]].firewall == facts[host].firewall) found = at->second;
    if (found == kept_.size()) {
      kept_.push_back(std::make_unique<Kept>());
      first_of_set.push_back(host);
      first_hosts.emplace(hash, found);
    } else {
      kept_[found]->is_shared = true;
    }
    rule_sets_.push_back(found);
  }
}

bool ReachHosts::may_keep(const Kept& place, const Firewall& firewall) const {
  if (place.is_shared) return true;
  const std::size_t size = instructions_in(firewall);
  const std::scoped_lock lock(count_mutex_);
  if (instructions_kept_ + size > kMostInstructions) return false;
  instructions_kept_ += size;
  return true;
}

ReachHost ReachHosts::at(std::size_t host) const {
  Kept& place = *kept_[rule_sets_[host]];
  const std::scoped_lock lock(place.mutex);
  ReachHost made{.facts = &facts_[host], .firewall = place.firewall};
  if (made.firewall) return made;
  made.firewall = std::make_shared<const Firewall>(read_firewall(facts_[host].firewall));
  if (may_keep(place, *made.firewall)) place.firewall = made.firewall;
  return made;
}

}  // namespace lockstep::network
