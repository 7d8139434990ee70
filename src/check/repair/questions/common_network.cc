// Launchers that give all hosts one name of an interface or one network.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "check/repair/questions/questions.h"
#include "check/repair/require_mesh.h"

namespace lockstep::repair {
namespace {

namespace field = config::field;
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
  const config::Settings& launch = problem.hosts().launch();
  if (launch.has(field::mpi_parameter(parameter)))
    return {.kind = EditKind::kLaunch, .name = field::mpi_parameter(parameter), .value = std::move(value)};
  return {.kind = EditKind::kEnvironment, .name = "OMPI_MCA_" + parameter, .value = std::move(value)};
}

bool is_set(const RepairProblem& problem, const std::string& parameter) {
  const config::Settings& launch = problem.hosts().launch();
  return launch.has(field::mpi_parameter(parameter)) || launch.has(field::variable("OMPI_MCA_" + parameter));
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

}  // namespace

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
  if (!problem.hosts().launch().has(field::kHorovod)) return;
  const std::string why = problem.found_by("N18 N19");
  if (why.empty()) return;
  std::vector<Answer> answers{{"as it is", {}}};
  for (const CommonValue& value : common_interfaces(problem))
    answers.push_back(
        {fmt::format("Horovod uses {}", value.value),
         {{.kind = EditKind::kLaunch, .name = field::kHorovodInterfaces, .value = value.value}}});
  const auto literals = problem.ask(std::move(answers));
  problem.choices().require({!literals[0]}, why);
}

}  // namespace lockstep::repair
