#include <algorithm>

#include <fmt/format.h>

#include "check/repair/questions/questions.h"
#include "check/repair/require_mesh.h"
#include "network/choices/nccl.h"

namespace lockstep::repair {
namespace {

using flows::FlowKind;

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

void ask_interfaces(RepairProblem& problem, const Troubles& troubles) {
  const flows::FlowPlan& plan = problem.judged().plan;
  const bool is_horovod = problem.hosts().launch().has(config::field::kHorovod);
  if (problem.situation().hosts.size() == 1) {
    for (const Library& library : {kGloo, kNccl}) ask_on_one_host(problem, library);
    return;
  }
  if (const auto* mesh = mesh_of(plan, FlowKind::kGloo); mesh != nullptr && !is_horovod)
    ask_for(problem, troubles, kGloo, *mesh);
  if (const auto* mesh = mesh_of(plan, FlowKind::kNcclData)) ask_for(problem, troubles, kNccl, *mesh);
}

}  // namespace lockstep::repair
