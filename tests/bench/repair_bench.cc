// A repair for hosts of four interfaces each: repair_bench [HOSTS]. The name of every host leads to an
// interface of its own that no other reaches, the second interface is split in two networks, the third and
// fourth join all. Prints one line of JSON with medians: judging once (rules and flows, as check does it),
// choosing (the questions, the conditions, MaxSMT), and a whole repair, which judges before and after.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "check/repair/repair.h"
#include "hostinfo/facts_json.h"

namespace lockstep::repair {
namespace {

constexpr int kRepetitions = 9;

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void add_interface(hostinfo::HostFacts& host, const std::string& name, const std::string& prefix) {
  hostinfo::Interface interface;
  interface.index = static_cast<int>(host.interfaces.size()) + 1;
  interface.name = name;
  interface.mtu = 1500;
  interface.is_up = interface.is_running = true;
  const base::Prefix own = *base::parse_prefix(prefix);
  interface.addresses = {{.prefix = own, .scope = "global"}};
  host.interfaces.push_back(interface);
  host.routes.push_back({.destination = {own.first(), own.length}, .interface = name, .source = own.address});
}

hostinfo::HostFacts host_at(std::size_t at, std::size_t count) {
  hostinfo::HostFacts host;
  host.name = host.full_name = fmt::format("h{}", at);
  host.boot_id = host.name;
  host.firewall.was_seen = true;
  add_interface(host, "eth0", fmt::format("192.168.{}.1/24", at));
  add_interface(host, "eth1", fmt::format("10.{}.0.{}/24", 10 + at % 2, at + 1));
  add_interface(host, "eth2", fmt::format("10.20.0.{}/24", at + 1));
  add_interface(host, "eth3", fmt::format("10.30.0.{}/24", at + 1));
  for (std::size_t other : {at, std::size_t{0}, count - 1}) {
    hostinfo::ResolvedName name;
    name.name = fmt::format("h{}", other);
    name.any = name.ipv4 = name.ipv6 = {*base::parse_address(fmt::format("192.168.{}.1", other))};
    host.names.push_back(name);
  }
  return host;
}

Situation situation_of(std::size_t count) {
  config::Inputs inputs;
  inputs.command = {"torchrun", "--nnodes", fmt::format("{}", count), "--node-rank", "0", "--master-addr",
                    "h0",       "train.py"};
  inputs.read_file = [](const std::string& path) -> Result<std::string> {
    return Error{"cannot read", path, "not there", ""};
  };
  std::vector<rules::HostDocument> documents;
  for (std::size_t at = 0; at < count; ++at) {
    const hostinfo::HostFacts host = host_at(at, count);
    documents.push_back({host.name, base::parse_json(hostinfo::encode_facts(host), host.name).value()});
  }
  return make_situation(std::move(inputs), std::move(documents));
}

template <typename What>
double median_ms(const What& what) {
  std::vector<double> times;
  for (int i = 0; i < kRepetitions; ++i) {
    const double begin = processor_ms();
    what();
    times.push_back(processor_ms() - begin);
  }
  std::ranges::sort(times);
  return times[kRepetitions / 2];
}

int measure(std::size_t count) {
  const Situation situation = situation_of(count);
  const Repair repair = find_repair(situation);
  if (repair.empty() || !repair.in_the_way.empty()) {
    fmt::print(stderr, "there is no repair\n");
    return 1;
  }
  const Judged judged = judge(situation);
  const double judging = median_ms([&] { (void)judge(situation); });
  const double choosing = median_ms([&] { (void)first_choice(situation, judged); });
  const double whole = median_ms([&] { (void)find_repair(situation); });
  fmt::print(
      "{{\"hosts\": {}, \"interfaces\": 4, \"judge_ms\": {:.1f}, \"choose_ms\": {:.1f}, \"repair_ms\": "
      "{:.1f}}}\n",
      count, judging, choosing, whole);
  return 0;
}

}  // namespace
}  // namespace lockstep::repair

int main(int argc, char** argv) {
  return lockstep::repair::measure(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 64);
}
