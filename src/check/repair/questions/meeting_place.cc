// Where the ranks meet: MASTER_ADDR and MASTER_PORT, or torchrun's endpoint.
#include <algorithm>

#include <fmt/format.h>

#include "check/repair/questions/questions.h"

namespace lockstep::repair {
namespace {

using config::Fields;
using flows::FlowKind;

constexpr std::uint16_t kMeetingPlaceFirstPort = 29500;
constexpr std::uint16_t kLastPort = 29999;

struct Place {
  std::string host;
  std::int64_t port = 0;
};

class MeetingPlace {
 public:
  MeetingPlace(RepairProblem& problem, const Troubles& troubles) : problem_(problem), troubles_(troubles) {}

  void ask() {
    const config::LaunchConfig& launch = problem_.hosts().launch();
    const bool is_torch = launch.has(Fields::kTorchrun) || launch.has(Fields::kAccelerate) ||
                          launch.has(Fields::kDeepspeed) || launch.has(Fields::variable("MASTER_ADDR")) ||
                          launch.has(Fields::variable("RANK"));
    if (!is_torch || launch.has(Fields::kTensorflowCluster) || launch.has(Fields::kHorovod)) return;
    now_ = {launch.text(Fields::kMasterAddress), launch.number(Fields::kMasterPort).value_or(0)};
    kind_ = FlowKind::kStore;
    if (config::is_elastic(launch)) kind_ = FlowKind::kRendezvous;
    find_master();

    std::vector<Answer> answers{{"as it is", {}}};
    const std::vector<Place> places = other_places();
    for (const Place& place : places) answers.push_back(answer_for(place));
    const auto literals = problem_.ask(std::move(answers));
    require_as_it_is(literals[0]);
    for (std::size_t i = 0; i < places.size(); ++i) require_place(places[i], literals[i + 1]);
  }

 private:
  // The host of rank 0; the one that the address means now; the one that launches.
  void find_master() {
    const auto& launches = problem_.launches();
    const auto& hosts = problem_.hosts();
    for (std::size_t i = 0; launches.size() == hosts.size() && i < launches.size(); ++i) {
      const auto rank = launches[i].has(Fields::kTorchrun)
                            ? launches[i].number(Fields::kTorchrunNodeRank)
                            : config::whole_number(launches[i].text(Fields::variable("RANK")));
      if (rank == 0) {
        master_ = i;
        return;
      }
    }
    const auto address = hosts.resolved(0, now_.host);
    const auto holder = address && !address->is_loopback() ? hosts.with_address(*address) : std::nullopt;
    master_ = holder.value_or(hosts.named(now_.host).value_or(hosts.launching()));
  }

  bool is_port_bad() {
    return !problem_.found_by("P01 P02 P12").empty() || now_.port < 1 || now_.port > 65535;
  }

  network::PortSet taken_ports() const {
    const hostinfo::HostFacts& master = problem_.situation().hosts[master_];
    network::PortSet taken = network::ephemeral_port_set(master);
    for (const hostinfo::ListeningSocket& socket : master.listening)
      taken.add(network::PortSet::one(socket.port));
    return taken;
  }

  // Ports at which an address of the master can be reached by all others.
  network::PortSet open_ports(const base::Address& address) const {
    network::PortSet open{{1024, 65535}};
    for (std::size_t source = 0; source < problem_.hosts().size(); ++source) {
      if (source == master_) continue;
      network::Flow flow;
      flow.destination = address;
      flow.ports = network::PortSet{{1024, 65535}};
      const auto verdict =
          network::judge_flow(troubles_.reach().at(source), troubles_.reach().at(master_), flow);
      if (verdict.reach == network::Reach::kBlocked) open = open - verdict.blocked_ports;
    }
    return open - taken_ports();
  }

  // A usual one that is open, any that is open, or a usual one for which a firewall must be opened.
  std::uint16_t port_for(const network::PortSet& open) const {
    const network::PortSet usual{{kMeetingPlaceFirstPort, kLastPort}};
    for (const network::PortSet& from : {open & usual, open, usual - taken_ports()})
      if (!from.empty()) return from.lowest();
    return 0;
  }

  // Each address of the master with the port as it is and with one that is free and open.
  std::vector<Place> other_places() {
    std::vector<Place> places;
    const bool needs_other_port = is_port_bad();
    const bool is_as_first_launch_says = !problem_.found_by("P06").empty() && !needs_other_port;
    if (is_as_first_launch_says) places.push_back(now_);
    for (const UsableInterface& one : problem_.usable(master_)) {
      const std::string text = base::to_text(one.address);
      if (!needs_other_port && text != now_.host) places.push_back({text, now_.port});
      if (!needs_other_port && !troubles_.has_firewalls()) continue;
      const std::uint16_t port = port_for(open_ports(one.address));
      if (port != 0 && port != now_.port) places.push_back({text, port});
    }
    return places;
  }

  Answer answer_for(const Place& place) const {
    Answer answer{fmt::format("ranks meet at {}:{}", place.host, place.port), {}};
    const auto& launches = problem_.launches();
    for (std::size_t i = 0; i < launches.size(); ++i) add_edits(launches[i], i, place, answer.edits);
    return answer;
  }

  static void add_edits(const config::LaunchConfig& launch, std::size_t at, const Place& place,
                        std::vector<Edit>& edits) {
    const std::string port = fmt::format("{}", place.port);
    const auto set = [&](const config::FieldPath& field, const std::string& value) {
      if (launch.as_written(field) == value) return;
      edits.push_back({.kind = EditKind::kLaunch, .launch = at, .field = field, .value = value});
    };
    if (config::is_elastic(launch) || launch.has(Fields::kRendezvousEndpoint)) {
      const bool is_ipv6 = place.host.find(':') != std::string::npos;
      set(Fields::kRendezvousEndpoint,
          fmt::format("{}{}{}:{}", is_ipv6 ? "[" : "", place.host, is_ipv6 ? "]" : "", place.port));
    } else if (launch.has(Fields::kTorchrun)) {
      set_where_given(launch, Fields::kTorchrunMasterAddress, Fields::kMasterAddress, place.host, set);
      set_where_given(launch, Fields::kTorchrunMasterPort, Fields::kMasterPort, port, set);
    } else if (launch.has(Fields::kAccelerate)) {
      set_where_given(launch, Fields::kAccelerateMasterAddress, Fields::kMasterAddress, place.host, set);
      set_where_given(launch, Fields::kAccelerateMasterPort, Fields::kMasterPort, port, set);
    } else if (launch.has(Fields::kDeepspeed)) {
      set_where_given(launch, Fields::kDeepspeedMasterAddress, Fields::kMasterAddress, place.host, set);
      set_where_given(launch, Fields::kDeepspeedMasterPort, Fields::kMasterPort, port, set);
    } else {
      set(Fields::variable("MASTER_ADDR"), place.host);
      set(Fields::variable("MASTER_PORT"), port);
    }
  }

  // What is so by default already need not be written.
  static void set_where_given(const config::LaunchConfig& launch, const config::FieldPath& field,
                              const config::FieldPath& meaning, const std::string& value, const auto& set) {
    if (!launch.has(field) && launch.as_written(meaning) == value) return;
    set(field, value);
  }

  void require_as_it_is(Literal as_it_is) {
    const std::string why = problem_.found_by("D01 D02 D03 D04 D14 D17 P01 P02 P06 P12 R01 N32 L22");
    if (!why.empty()) problem_.choices().require({!as_it_is}, why);
    for (const flows::RequiredFlow& flow : problem_.judged().plan.flows)
      if (flow.kind == FlowKind::kStore || flow.kind == FlowKind::kRendezvous)
        if (!require_flow(problem_, troubles_, flow, {!as_it_is},
                          fmt::format("at {}, port {}", base::to_text(flow.flow.destination),
                                      network::to_text(flow.flow.ports))))
          return;
  }

  void require_place(const Place& place, Literal chosen) {
    for (std::size_t source = 0; source < problem_.hosts().size(); ++source) {
      if (source == master_) continue;
      flows::RequiredFlow flow{.kind = kind_, .source = source, .destination = master_, .flow = {}};
      const auto address = problem_.hosts().resolved(source, place.host);
      if (!address) continue;
      flow.flow.destination = *address;
      flow.flow.ports = network::PortSet::one(static_cast<std::uint16_t>(place.port));
      const std::string where = fmt::format("at {}, port {}", place.host, place.port);
      if (!require_flow(problem_, troubles_, flow, {!chosen}, where)) return;
    }
  }

  RepairProblem& problem_;
  const Troubles& troubles_;
  Place now_;
  FlowKind kind_ = FlowKind::kStore;
  std::size_t master_ = 0;
};

}  // namespace

bool require_flow(RepairProblem& problem, const Troubles& troubles, const flows::RequiredFlow& flow,
                  std::vector<Literal> unless, std::string_view where) {
  const Trouble trouble = troubles.of(flow);
  if (trouble == Trouble::kNone) return true;
  const std::string why = fmt::format("{}: {} does not reach {} {}", flows::meaning_of(flow.kind).what,
                                      problem.situation().hosts[flow.source].name,
                                      problem.situation().hosts[flow.destination].name, where);
  if (trouble == Trouble::kNoWay) {
    problem.choices().require(std::move(unless), why);
    return false;
  }
  for (const auto& [bit, host] : {std::pair(1, flow.source), std::pair(2, flow.destination)}) {
    if ((static_cast<int>(trouble) & bit) == 0) continue;
    std::vector<Literal> literals = unless;
    literals.push_back(problem.opened(host));
    problem.choices().require(std::move(literals), why);
  }
  return true;
}

void require_flows(RepairProblem& problem, const Troubles& troubles) {
  using flows::FlowKind;
  for (const flows::RequiredFlow& flow : problem.judged().plan.flows) {
    if (flow.kind == FlowKind::kStore || flow.kind == FlowKind::kRendezvous ||
        flow.kind == FlowKind::kTensorflow)
      continue;
    const std::string where = fmt::format("at {}, ports {}", base::to_text(flow.flow.destination),
                                          network::to_text(flow.flow.ports));
    require_flow(problem, troubles, flow, {}, where);
  }
}

void ask_meeting_place(RepairProblem& problem, const Troubles& troubles) {
  MeetingPlace(problem, troubles).ask();
}

void ask_own_addresses(RepairProblem& problem) {
  const std::string why = problem.found_by("D05");
  if (why.empty()) return;
  Answer answer{"each node tells the others its address", {}};
  for (std::size_t host = 0; host < problem.situation().hosts.size(); ++host) {
    const auto& usable = problem.usable(host);
    if (!usable.empty())
      answer.edits.push_back({.kind = EditKind::kEnvironment,
                              .host = host,
                              .name = "PET_LOCAL_ADDR",
                              .value = base::to_text(usable.front().address)});
  }
  const auto literals = problem.ask({{"as it is", {}}, std::move(answer)});
  problem.choices().require({!literals[0]}, why);
}

}  // namespace lockstep::repair
