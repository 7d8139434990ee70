// Requests to the API of Kubernetes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "service/http/message.h"

namespace lockstep::service {

// The file that says where a Kubernetes is and as whom to come: kubectl's own.

struct KubeAccess {
  std::string host;
  std::uint16_t port = 443;
  std::string path;  // before that of every request: "" or "/k8s/clusters/c1"
  std::string name_space = "default";
  // As PEM.
  std::string authorities;  // empty: those of the system
  std::string certificate;  // of the client; empty: none
  std::string key;
  bool is_unverified = false;  // the server may be anybody: insecure-skip-tls-verify
  std::string server_name;     // in the server's certificate; empty: the host
  std::string token;
  std::vector<std::string> plugin;              // the program that gives a token; empty: none
  std::vector<std::string> plugin_environment;  // "NAME=VALUE"
};

// KUBECONFIG (its first file), else ~/.kube/config.
std::filesystem::path default_kubeconfig();

// The current context, with what the files that it names hold.
Result<KubeAccess> read_kubeconfig(const std::filesystem::path& path);

// Files are named relative to `folder`.
Result<KubeAccess> decode_kubeconfig(std::string_view text, const std::filesystem::path& folder);

// What a credential plugin printed: the token in it.
Result<std::string> token_in(std::string_view credential);

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
