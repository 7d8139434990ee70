#include <unistd.h>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text_fields.h"
#include "run/multihost/launchers.h"
#include "run/multihost/variables.h"

namespace lockstep::multihost {
namespace {

std::optional<std::uint32_t> number(const Launch& launch, std::string_view name) {
  const auto text = variable(launch.environment, name);
  return text ? base::number_in<std::uint32_t>(*text) : std::nullopt;
}

// The host in "1234.0;tcp://10.0.0.1,192.168.0.1:55397;tcp6://...", where mpirun is.
std::string host_in_uri(const std::string& uri) {
  const std::string_view rest = base::rest_after(uri, "tcp://");
  return std::string(rest.substr(0, rest.find_first_of(",:")));
}

}  // namespace

// mpirun runs where rank 0 does, unless its hosts are others than its own.
std::optional<JobPlace> place_by_open_mpi(const Launch& launch) {
  const auto rank = number(launch, "OMPI_COMM_WORLD_RANK");
  const auto size = number(launch, "OMPI_COMM_WORLD_SIZE");
  if (!rank || !size) return std::nullopt;
  JobPlace place{.index = rank, .count = *size, .head = {}, .launcher = "mpirun"};
  std::string host = host_in_uri(variable(launch.environment, "OMPI_MCA_orte_hnp_uri").value_or(""));
  if (host.empty() && number(launch, "OMPI_COMM_WORLD_LOCAL_SIZE") == size) host = "127.0.0.1";
  const std::string job = variable(launch.environment, "PMIX_NAMESPACE").value_or("");
  if (!host.empty()) place.head = HostPort{.host = std::move(host), .port = port_from("mpirun " + job)};
  return place;
}

std::optional<JobPlace> place_by_horovod(const Launch& launch) {
  const auto rank = number(launch, "HOROVOD_RANK");
  const auto size = number(launch, "HOROVOD_SIZE");
  if (!rank || !size) return std::nullopt;
  JobPlace place{.index = rank, .count = *size, .head = {}, .launcher = "horovodrun"};
  const auto host = variable(launch.environment, "HOROVOD_GLOO_RENDEZVOUS_ADDR");
  const auto port = variable(launch.environment, "HOROVOD_GLOO_RENDEZVOUS_PORT");
  if (host && port) place.head = HostPort{.host = *host, .port = port_from("horovodrun " + *port)};
  return place;
}

// Of a task that srun started. A batch script has the variables of the job, but not those of a step.
std::optional<JobPlace> place_by_slurm(const Launch& launch) {
  const auto step = variable(launch.environment, "SLURM_STEP_ID");
  const auto rank = number(launch, "SLURM_PROCID");
  const auto size = number(launch, "SLURM_STEP_NUM_TASKS");
  if (!step || !rank || !size) return std::nullopt;
  JobPlace place{.index = rank, .count = *size, .head = {}, .launcher = "srun"};
  const std::string nodes = variable(launch.environment, "SLURM_STEP_NODELIST").value_or("");
  const std::string job = variable(launch.environment, "SLURM_JOB_ID").value_or("");
  if (!nodes.empty()) {
    place.head =
        HostPort{.host = first_in_node_list(nodes), .port = port_from(fmt::format("srun {}.{}", job, *step))};
  }
  return place;
}

// Only the ranks of one host have something in common: the process that started them.
std::optional<JobPlace> place_by_mpich(const Launch& launch) {
  const auto rank = number(launch, "PMI_RANK");
  const auto size = number(launch, "PMI_SIZE");
  if (!rank || !size) return std::nullopt;
  JobPlace place{.index = rank, .count = *size, .head = {}, .launcher = "mpiexec"};
  if (number(launch, "MPI_LOCALNRANKS") == size) {
    place.head = HostPort{.host = "127.0.0.1", .port = port_from(fmt::format("mpiexec {}", ::getppid()))};
  }
  return place;
}

// The chief is the first, or worker 0 where there is none; the others count in the order of the cluster.
std::optional<JobPlace> place_by_tf_config(const Launch& launch) {
  const auto text = variable(launch.environment, "TF_CONFIG");
  if (!text) return std::nullopt;
  const auto json = base::parse_json(*text, "TF_CONFIG");
  if (!json.ok() || !json.value().is_object()) return std::nullopt;
  try {
    const base::Json& cluster = json.value().at("cluster");
    const std::string type = json.value().at("task").at("type");
    const auto task = json.value().at("task").at("index").get<std::uint32_t>();
    const char* first = cluster.contains("chief") ? "chief" : "worker";
    const auto head = parse_host_port(cluster.at(first).at(0).get<std::string>());
    JobPlace place{.index = 0, .count = 0, .head = {}, .launcher = "TF_CONFIG"};
    if (head.ok()) {
      place.head =
          HostPort{.host = head.value().host, .port = port_from(fmt::format("tf {}", head.value().port))};
    }
    std::uint32_t behind = 1;
    for (const auto& [role, addresses] : cluster.items()) {
      const auto count = static_cast<std::uint32_t>(addresses.size());
      place.count += count;
      if (role == type && (role != first || task != 0)) place.index = behind + task;
      behind += count;
    }
    return place;
  } catch (const base::Json::exception&) {
    return std::nullopt;
  }
}

std::string first_in_node_list(std::string_view list) {
  const std::size_t bracket = list.find('[');
  const std::size_t comma = list.find(',');
  if (bracket == std::string_view::npos || comma < bracket) return std::string(list.substr(0, comma));
  const std::string_view numbers = list.substr(bracket + 1);
  const std::size_t close = numbers.find(']');
  const std::string_view suffix =
      close == std::string_view::npos ? std::string_view() : numbers.substr(close + 1);
  return fmt::format("{}{}{}", list.substr(0, bracket), numbers.substr(0, numbers.find_first_of("-,]")),
                     suffix.substr(0, suffix.find(',')));
}

}  // namespace lockstep::multihost
