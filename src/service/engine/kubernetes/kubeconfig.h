// The file that says where a Kubernetes is and as whom to come: kubectl's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lockstep::service {

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

}  // namespace lockstep::service
