#include "service/serve.h"

#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "service/api/api.h"
#include "service/client/client.h"
#include "service/engine/attempt_supervisor.h"
#include "service/engine/cluster.h"
#include "service/engine/kubernetes/attempt_objects.h"
#include "service/engine/kubernetes/kubernetes_cluster.h"
#include "service/engine/local_engine.h"
#include "service/engine/slurm/slurm_cluster.h"
#include "service/http/message.h"
#include "service/http/server.h"
#include "service/job/job.h"
#include "service/job_service.h"
#include "service/store/seal.h"

namespace lockstep::service {

namespace {

// Who may use the page on this machine: whoever has the key that a service tells its user when it starts, and
// that is forgotten when it ends. Others on the machine can reach the port, but not know the key.

class PageKey {
 public:
  PageKey();

  // Behind the "#" the key stays in the browser: it is no part of what is sent.
  std::string address(std::uint16_t port) const;
  std::optional<uid_t> holder(const Request& request) const;

 private:
  std::string text_;
  std::string hash_;
};

constexpr std::size_t kPageKeyBytes = 24;

PageKey::PageKey() : text_("page_" + in_hex(random_bytes(kPageKeyBytes))), hash_(sha256(text_)) {}

std::string PageKey::address(std::uint16_t port) const {
  return fmt::format("http://127.0.0.1:{}/#token={}", port, text_);
}

// Hashes are compared, and all of them: how long that takes tells nothing of the key.
std::optional<uid_t> PageKey::holder(const Request& request) const {
  const auto token = bearer_token(request);
  if (!token || !are_equal_hashes(sha256(*token), hash_)) return std::nullopt;
  return ::geteuid();
}

namespace fs = std::filesystem;

constexpr int kCouldNotDoIt = 2;
constexpr const char* kUsualImage = "lockstep:latest";
constexpr std::size_t kLargestTemplate = std::size_t{1} << 20;
constexpr std::chrono::seconds kTimeToLetGo{10};

// A supervisor that is just being started holds the lock of its service until it becomes a program of its
// own: longer than a service lives that is killed at that moment.
bool take(const process::Descriptor& lock, const fs::path& folder) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + kTimeToLetGo;
  while (lock.is_open() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (connect_unix(socket_in(folder)).ok() || Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return lock.is_open();
}

Result<process::Descriptor> only_service_of(const fs::path& folder) {
  std::error_code fault;
  fs::create_directories(folder / "jobs", fault);
  if (!fault) fs::permissions(folder, fs::perms::owner_all, fault);
  if (fault) return Error{"cannot make the folder of the service", folder.string(), fault.message(), ""};
  process::Descriptor lock(::open((folder / "service.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (take(lock, folder)) return lock;
  return Error{"cannot serve", folder.string(), "another service is already running there",
               "use it with 'lockstep submit', or give another folder with --state"};
}

bool belongs_to_a_slurm_cluster() {
  std::error_code ignored;
  return std::getenv("SLURM_CONF") != nullptr || fs::exists("/etc/slurm/slurm.conf", ignored);
}

Result<std::unique_ptr<Cluster>> open_kubernetes(const KubernetesOptions& options, const fs::path& state) {
  const fs::path kubeconfig = options.kubeconfig.empty() ? default_kubeconfig() : options.kubeconfig;
  KubernetesSettings settings{.kubeconfig = fs::absolute(kubeconfig),
                              .pod = usual_pod(kUsualImage, fs::absolute(state)),
                              .gang_wait_s = static_cast<int>(options.gang_wait.count())};
  if (!options.pod_template.empty()) {
    const std::string text = TRY(base::read_file(options.pod_template, kLargestTemplate));
    settings.pod = TRY(decode_pod_template(text, options.pod_template.string()));
  }
  if (!options.image.empty()) settings.pod["spec"]["containers"][0]["image"] = options.image;
  KubeApi api = TRY(KubeApi::open(settings.kubeconfig));
  return std::unique_ptr<Cluster>(std::make_unique<KubernetesCluster>(std::move(settings), std::move(api)));
}

// Jobs for Slurm are taken wherever there is a cluster; only a service that is to use it by itself needs one.
Result<Clusters> clusters_for(const ServeOptions& options, const Machine& machine) {
  Clusters clusters;
  clusters.usual = options.engine;
  clusters.by_engine[EngineKind::kLocal] = std::make_unique<OneMachine>(machine.total);
  const char* path = std::getenv("PATH");
  auto tools = SlurmTools::in_path(path == nullptr ? "" : path);
  if (tools.ok() && (options.engine == EngineKind::kSlurm || belongs_to_a_slurm_cluster())) {
    clusters.by_engine[EngineKind::kSlurm] = std::make_unique<SlurmCluster>(std::move(tools).value());
  } else if (options.engine == EngineKind::kSlurm) {
    return tools.error();
  }
  const bool has_kubernetes =
      options.engine == EngineKind::kKubernetes || !options.kubernetes.kubeconfig.empty();
  if (has_kubernetes)
    clusters.by_engine[EngineKind::kKubernetes] =
        TRY(open_kubernetes(options.kubernetes, options.store.folder));
  return clusters;
}

ClusterAccess access_to(const Clusters& clusters) {
  ClusterAccess access;
  if (const auto found = clusters.by_engine.find(EngineKind::kSlurm); found != clusters.by_engine.end())
    access.slurm_tools = static_cast<const SlurmCluster&>(*found->second).tools().folder();
  if (const auto found = clusters.by_engine.find(EngineKind::kKubernetes); found != clusters.by_engine.end())
    access.kubernetes = static_cast<const KubernetesCluster&>(*found->second).settings();
  return access;
}

}  // namespace

Result<void> serve(const ServeOptions& options) {
  const fs::path& folder = options.store.folder;
  const process::Descriptor lock = TRY(only_service_of(folder));
  std::unique_ptr<Store> store = TRY(claim_store(options.store, options.on_trouble));
  const std::string program = TRY(own_program());
  Machine machine = this_machine();
  Clusters clusters = TRY(clusters_for(options, machine));
  auto engine = std::make_unique<LocalEngine>(folder / "jobs", program, access_to(clusters));
  JobService service(std::move(store), std::move(engine), std::move(clusters), std::move(machine),
                     ReportMaker(program), options.kept_for);
  service.watch_for_silence(options.silence);
  service.grow_after(options.grow_after);
  TRY(service.recover());
  const PageKey key;
  Ports open_ports;
  service.lead_to_page_by([&](std::optional<std::uint16_t> port) -> Result<std::optional<std::string>> {
    if (port) open_ports.local = TRY(open_ports.open_local(*port));
    return open_ports.local == 0 ? std::nullopt : std::optional(key.address(open_ports.local));
  });
  const ServerPlace place{socket_in(folder), options.rest_after, options.listen, options.page_port};
  const ServerHooks hooks{
      .answer = [&](std::span<const Request> requests) { return answer(service, requests); },
      .refusal = [&](const Request& request) { return refusal_of(service, request); },
      .tick =
          [&, told = std::string()]() mutable {
            const auto ticked = service.tick();
            const std::string why = ticked.ok() ? "" : ticked.error().what + ticked.error().why;
            if (!ticked.ok() && why != told && options.on_trouble) options.on_trouble(ticked.error());
            told = why;
          },
      .visitor = [&](const Request& request) { return key.holder(request); },
      .may_rest = [&] { return !service.has_unfinished_jobs(); }};
  return run_server(place, {}, hooks, [&](const Ports& ports) {
    open_ports = ports;
    if (options.on_ready) options.on_ready(place.socket, ports.tls);
    if (options.page_port && options.on_page_ready) options.on_page_ready(key.address(ports.local));
  });
}

int run_part(const std::string& part, const fs::path& folder) {
  if (part == "gang") return run_gang({folder});
  const auto program = own_program();
  if (!program.ok()) return kCouldNotDoIt;
  if (part == "node") return run_node({folder}, program.value());
  if (part == "attempt") return begin_attempt({folder}, program.value()).ok() ? 0 : kCouldNotDoIt;
  if (part == "adopt") return adopt_attempt({folder}, program.value()).ok() ? 0 : kCouldNotDoIt;
  return kCouldNotDoIt;
}

}  // namespace lockstep::service
