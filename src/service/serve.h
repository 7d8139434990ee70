// A service from its start to its end.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "service/http/server.h"
#include "service/job/job.h"
#include "service/store/open_store.h"

namespace lockstep::service {

// Each empty: the usual one.
struct KubernetesOptions {
  std::filesystem::path kubeconfig = {};
  std::filesystem::path pod_template = {};
  std::string image = {};
  std::chrono::seconds gang_wait{
      300};  // how long a job holds places before all its ranks have one; 0: for ever
};

struct ServeOptions {
  StorePlace store;
  std::chrono::seconds rest_after{0};      // 0: stays
  std::chrono::hours kept_for{0};          // jobs that are over; 0: for ever
  std::chrono::seconds silence{30};        // of a rank, until it is told; 0: never
  std::chrono::seconds grow_after{300};    // of an elastic job that has fewer ranks than it may; 0: never
  EngineKind engine = EngineKind::kLocal;  // of jobs that do not say
  KubernetesOptions kubernetes = {};
  std::optional<TlsPlace> listen = {};          // for others too
  std::optional<std::uint16_t> page_port = {};  // for browsers of this machine; 0: a free one
  std::function<void(const std::filesystem::path& socket, std::uint16_t port)> on_ready;
  std::function<void(const std::string& address)> on_page_ready;
  std::function<void(const Error&)> on_trouble;  // that did not end it
};

// Returns when it was told to end or has nothing to do. An error when another one serves this folder.
Result<void> serve(const ServeOptions& options);

// The parts of the service that are processes of their own: `program service-part PART FOLDER`. Gives the
// exit status.
int run_part(const std::string& part, const std::filesystem::path& folder);

}  // namespace lockstep::service
