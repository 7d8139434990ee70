// Interfaces, networks and names by which hosts find each other.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/net/address.h"
#include "check/repair/questions/questions.h"
#include "check/repair/trouble.h"
#include "network/choices/choice.h"

namespace lockstep::repair {
namespace {

using config::Fields;
using flows::FlowKind;
using hostinfo::HostFacts;

// A value that means an interface on every host.
struct CommonValue {
  std::string value;                     // "eth0", "10.1.0.0/16"
  std::vector<base::Address> addresses;  // by host
};

void add_where_common(const RepairProblem& problem, const std::string& value, const auto& address_on,
                      std::vector<CommonValue>& values) {
  CommonValue made{value, {}};
  for (std::size_t host = 0; host < problem.hosts().size(); ++host) {
    const std::optional<base::Address> address = address_on(host);
    if (!address) return;
    made.addresses.push_back(*address);
  }
  values.push_back(std::move(made));
}

std::vector<CommonValue> common_interfaces(const RepairProblem& problem) {
  std::vector<CommonValue> values;
  if (problem.hosts().size() == 0) return values;
  for (const UsableInterface& first : problem.usable(0)) {
    add_where_common(
        problem, first.name,
        [&](std::size_t host) -> std::optional<base::Address> {
          for (const UsableInterface& one : problem.usable(host))
            if (one.name == first.name) return one.address;
          return std::nullopt;
        },
        values);
  }
  return values;
}

std::optional<base::Prefix> network_of(const HostFacts& host, const base::Address& address) {
  for (const hostinfo::Interface& interface : host.interfaces)
    for (const hostinfo::InterfaceAddress& own : interface.addresses)
      if (own.prefix.address == address) return base::Prefix{own.prefix.first(), own.prefix.length};
  return std::nullopt;
}

std::vector<CommonValue> common_networks(const RepairProblem& problem) {
  std::vector<CommonValue> values;
  if (problem.hosts().size() == 0) return values;
  for (const UsableInterface& first : problem.usable(0)) {
    const auto network = network_of(problem.hosts()[0], first.address);
    if (!network || first.address.family != base::Family::kIpv4) continue;
    add_where_common(
        problem, base::to_text(*network),
        [&](std::size_t host) -> std::optional<base::Address> {
          for (const UsableInterface& one : problem.usable(host))
            if (network_of(problem.hosts()[host], one.address) == network) return one.address;
          return std::nullopt;
        },
        values);
  }
  return values;
}

// A parameter of Open MPI: where it stands now, in the command or in the environment.
Edit mpi_edit(const RepairProblem& problem, const std::string& parameter, std::optional<std::string> value) {
  const config::LaunchConfig& launch = problem.hosts().launch();
  if (launch.has(Fields::mpi_parameter(parameter)))
    return {.kind = EditKind::kLaunch, .field = Fields::mpi_parameter(parameter), .value = std::move(value)};
  return {.kind = EditKind::kEnvironment, .name = "OMPI_MCA_" + parameter, .value = std::move(value)};
}

bool is_set(const RepairProblem& problem, const std::string& parameter) {
  const config::LaunchConfig& launch = problem.hosts().launch();
  return launch.has(Fields::mpi_parameter(parameter)) ||
         launch.has(Fields::variable("OMPI_MCA_" + parameter));
}

Answer mpi_answer(const RepairProblem& problem, const std::string& value) {
  Answer answer{fmt::format("Open MPI uses {}", value), {}};
  for (const char* part : {"btl_tcp", "oob_tcp"}) {
    answer.edits.push_back(mpi_edit(problem, fmt::format("{}_if_include", part), value));
    const std::string exclude = fmt::format("{}_if_exclude", part);
    if (is_set(problem, exclude)) answer.edits.push_back(mpi_edit(problem, exclude, std::nullopt));
  }
  return answer;
}

void require_value(RepairProblem& problem, const Troubles& troubles, const flows::Mesh& mesh,
                   const CommonValue& value, Literal chosen) {
  for (std::size_t source = 0; source < value.addresses.size(); ++source) {
    for (std::size_t to = 0; to < value.addresses.size(); ++to) {
      if (source == to) continue;
      flows::RequiredFlow flow{.kind = mesh.kind, .source = source, .destination = to, .flow = {}};
      flow.flow.source = value.addresses[source];
      flow.flow.destination = value.addresses[to];
      flow.flow.ports = mesh.ends.empty() ? network::PortSet{{1024, 1123}} : mesh.ends.front().ports;
      require_flow(problem, troubles, flow, {!chosen}, "over " + value.value);
    }
  }
}

std::set<std::string> hosts_of_tasks(const config::LaunchConfig& launch) {
  std::set<std::string> names;
  if (const auto cluster = launch.get(Fields::kTensorflowCluster))
    for (const config::TaskAddresses& tasks : cluster->value)
      for (const std::string& address : tasks.addresses) names.insert(base::endpoint_of(address).host);
  return names;
}

struct Library {
  std::string_view name;
  std::string_view variable;
  std::string_view exactly;  // what stands before a name that is meant as a whole
  std::string_view rules;
};

constexpr Library kGloo{"Gloo", "GLOO_SOCKET_IFNAME", "", "N14 N15 N31"};
constexpr Library kNccl{"NCCL", "NCCL_SOCKET_IFNAME", "=", "N01 N02 N04 N06 N07 N08 N31"};

const flows::Mesh* mesh_of(const flows::FlowPlan& plan, FlowKind kind) {
  const auto found =
      std::ranges::find_if(plan.meshes, [&](const flows::Mesh& mesh) { return mesh.kind == kind; });
  return found == plan.meshes.end() ? nullptr : &*found;
}

const flows::Mesh::End* end_on(const flows::Mesh& mesh, std::size_t host) {
  const auto found =
      std::ranges::find_if(mesh.ends, [&](const flows::Mesh::End& end) { return end.host == host; });
  return found == mesh.ends.end() ? nullptr : &*found;
}

void ask_for(RepairProblem& problem, const Troubles& troubles, const Library& library,
             const flows::Mesh& mesh) {
  std::vector<Candidate> candidates;
  for (std::size_t host = 0; host < problem.situation().hosts.size(); ++host) {
    const hostinfo::HostFacts& facts = problem.situation().hosts[host];
    std::vector<Answer> answers{{"as it is", {}}};
    const flows::Mesh::End* const now = end_on(mesh, host);
    const std::string why = problem.found_by(library.rules, host);
    std::vector<UsableInterface> usable = problem.usable(host);
    if (now != nullptr && why.empty())  // what it takes already is no change
      std::erase_if(usable, [&](const UsableInterface& one) { return one.address == now->address; });
    for (const UsableInterface& one : usable) {
      answers.push_back({fmt::format("{} uses {} on {}", library.name, one.name, facts.name),
                         {{.kind = EditKind::kEnvironment,
                           .host = host,
                           .name = std::string(library.variable),
                           .value = fmt::format("{}{}", library.exactly, one.name)}}});
    }
    const auto literals = problem.ask(std::move(answers));
    const network::PortSet ports = network::ephemeral_port_set(facts);
    if (now != nullptr) {
      candidates.push_back(
          {literals[0], *now, fmt::format("{} of {}", base::to_text(now->address), facts.name)});
    } else {
      problem.choices().require({!literals[0]},
                                fmt::format("{} has no address for others on {}", library.name, facts.name));
    }
    if (!why.empty()) problem.choices().require({!literals[0]}, fmt::format("{}: {}", facts.name, why));
    for (std::size_t i = 0; i < usable.size(); ++i)
      candidates.push_back({literals[i + 1],
                            {host, usable[i].address, ports, std::nullopt},
                            fmt::format("{} of {}", usable[i].name, facts.name)});
  }
  require_mesh(problem, troubles, mesh, candidates);
}

// On one host every interface will do that is there: the library finds one by itself.
void ask_on_one_host(RepairProblem& problem, const Library& library) {
  problem.ask_one_change(library.rules,
                         {fmt::format("{} chooses its interface", library.name),
                          {{.kind = EditKind::kEnvironment, .name = std::string(library.variable)}}});
}

}  // namespace

// mpirun and horovodrun give all hosts one name of an interface or one network.
void ask_mpi_network(RepairProblem& problem, const Troubles& troubles) {
  const auto& meshes = problem.judged().plan.meshes;
  const auto mesh =
      std::ranges::find_if(meshes, [](const flows::Mesh& one) { return one.kind == flows::FlowKind::kMpi; });
  if (mesh == meshes.end()) return;
  std::vector<CommonValue> values = common_interfaces(problem);
  for (CommonValue& network : common_networks(problem)) values.push_back(std::move(network));
  std::vector<Answer> answers{{"as it is", {}}};
  for (const CommonValue& value : values) answers.push_back(mpi_answer(problem, value.value));
  const auto literals = problem.ask(std::move(answers));
  for (std::size_t i = 0; i < values.size(); ++i)
    require_value(problem, troubles, *mesh, values[i], literals[i + 1]);

  const std::string why = problem.found_by("N22 N23 N24 N25 N26 N27");
  if (!why.empty()) problem.choices().require({!literals[0]}, why);
  if (mesh->ends.size() < problem.situation().hosts.size())
    problem.choices().require({!literals[0]}, "Open MPI finds no interface on some host");
  for (std::size_t source = 0; source < mesh->ends.size(); ++source)
    for (std::size_t to = 0; to < mesh->ends.size(); ++to)
      if (source != to)
        require_flow(problem, troubles, mesh->flow(source, to), {!literals[0]}, "over what Open MPI chooses");
}

void ask_horovod_network(RepairProblem& problem) {
  if (!problem.hosts().launch().has(Fields::kHorovod)) return;
  const std::string why = problem.found_by("N18 N19");
  if (why.empty()) return;
  std::vector<Answer> answers{{"as it is", {}}};
  for (const CommonValue& value : common_interfaces(problem))
    answers.push_back(
        {fmt::format("Horovod uses {}", value.value),
         {{.kind = EditKind::kLaunch, .field = Fields::kHorovodInterfaces, .value = value.value}}});
  const auto literals = problem.ask(std::move(answers));
  problem.choices().require({!literals[0]}, why);
}

// Names of hosts that a host does not know.
void ask_names(RepairProblem& problem) {
  const std::set<std::string> names = hosts_of_tasks(problem.hosts().launch());
  for (std::size_t host = 0; host < problem.hosts().size(); ++host) {
    Answer answer{fmt::format("{} knows the names of the others", problem.hosts()[host].name), {}};
    for (const hostinfo::ResolvedName& known : problem.hosts()[host].names) {
      if (known.any_error.empty() || !names.contains(known.name)) continue;
      const auto meant = problem.hosts().named(known.name);
      if (!meant || problem.usable(*meant).empty()) continue;
      answer.edits.push_back({.kind = EditKind::kSystem,
                              .host = host,
                              .name = "name " + known.name,
                              .value = base::to_text(problem.usable(*meant).front().address)});
    }
    problem.ask_one_change("D18", std::move(answer), host);
  }
}

void ask_interfaces(RepairProblem& problem, const Troubles& troubles) {
  const flows::FlowPlan& plan = problem.judged().plan;
  const bool is_horovod = problem.hosts().launch().has(Fields::kHorovod);
  if (problem.situation().hosts.size() == 1) {
    for (const Library& library : {kGloo, kNccl}) ask_on_one_host(problem, library);
    return;
  }
  if (const auto* mesh = mesh_of(plan, FlowKind::kGloo); mesh != nullptr && !is_horovod)
    ask_for(problem, troubles, kGloo, *mesh);
  if (const auto* mesh = mesh_of(plan, FlowKind::kNcclData)) ask_for(problem, troubles, kNccl, *mesh);
}

}  // namespace lockstep::repair
