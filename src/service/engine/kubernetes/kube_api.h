// Requests to the API of Kubernetes.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "service/engine/kubernetes/kubeconfig.h"
#include "service/http/whole_answer.h"

namespace lockstep::service {

class KubeApi {
 public:
  static Result<KubeApi> open(const std::filesystem::path& kubeconfig);

  const std::string& name_space() const { return access_.name_space; }

  // An error only when nobody answers. Tokens that have ended are read, or made, anew.
  Result<WholeAnswer> send(std::string_view method, std::string_view target, const base::Json& body = {});

  // The object; an error with the server's words for anything but 200.
  Result<base::Json> get(std::string_view target);

 private:
  KubeApi(std::filesystem::path kubeconfig, KubeAccess access)
      : kubeconfig_(std::move(kubeconfig)), access_(std::move(access)) {}

  std::filesystem::path kubeconfig_;
  KubeAccess access_;
};

// Why it is not a good one, in the server's own words.
std::string reason_in(const WholeAnswer& answer);

}  // namespace lockstep::service
