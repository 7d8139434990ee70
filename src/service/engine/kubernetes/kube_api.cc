#include "service/engine/kubernetes/kube_api.h"

#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process/environment.h"
#include "base/process/spawn.h"
#include "base/text_fields.h"
#include "base/yaml.h"
#include "service/client/channel.h"

namespace lockstep::service {

namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr std::size_t kLargestKubeconfig = std::size_t{4} << 20;

Error unusable_config(std::string why, std::string hint = "") {
  return {"cannot use the kubeconfig", "", std::move(why), std::move(hint)};
}

// `contexts`, `clusters` and `users` are lists of a name and what it names.
Result<Json> config_named(const Json& config, const char* list, const char* member, const std::string& name) {
  for (const Json& one : base::list_at(config, list)) {
    if (base::text_at(one, "name") == name && !base::field_at(one, member).is_null()) return one[member];
  }
  return unusable_config(fmt::format("it has no {} '{}'", member, name));
}

// The bytes themselves, or a file that has them.
Result<std::string> data_or_file(const Json& object, const std::string& member, const fs::path& folder) {
  const std::string data = base::text_at(object, (member + "-data").c_str());
  if (!data.empty()) {
    if (auto bytes = base::from_base64(data)) return *bytes;
    return unusable_config(fmt::format("{}-data is no base64", member));
  }
  const std::string file = base::text_at(object, member.c_str());
  if (file.empty()) return std::string();
  return base::read_file(folder / file, kLargestKubeconfig);
}

// "https://10.0.0.1:6443/path"
Result<void> take_server(const std::string& url, KubeAccess& access) {
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme))
    return unusable_config(fmt::format("its server '{}' is none that https:// leads to", url));
  const std::string_view rest = std::string_view(url).substr(kScheme.size());
  const std::string_view place = base::word_of(rest, '/');
  access.path = rest.substr(place.size());
  while (access.path.ends_with('/')) access.path.pop_back();
  const std::size_t bracket = place.starts_with('[') ? place.find(']') : 0;
  const std::size_t colon = bracket == std::string_view::npos ? bracket : place.find(':', bracket);
  access.host = place.substr(0, colon);
  if (access.host.starts_with('[') && access.host.ends_with(']'))
    access.host = access.host.substr(1, access.host.size() - 2);
  if (colon != std::string_view::npos) {
    const auto port = base::number_in<std::uint16_t>(place.substr(colon + 1));
    if (!port || *port == 0) return unusable_config(fmt::format("its server '{}' has no port", url));
    access.port = *port;
  }
  const bool is_sound = !access.host.empty() && url.find_first_of(" \t\r\n") == std::string::npos &&
                        access.host.find_first_of("[]@?#") == std::string::npos;
  return is_sound ? Result<void>() : unusable_config(fmt::format("its server '{}' names no host", url));
}

// A program that cloud providers' own tools bring along.
void take_plugin(const Json& exec, const fs::path& folder, KubeAccess& access) {
  std::string program = base::text_at(exec, "command");
  if (program.empty()) return;
  const bool is_relative_path = program.find('/') != std::string::npos && program.front() != '/';
  access.plugin = {is_relative_path ? (folder / program).string() : program};
  for (const Json& word : base::list_at(exec, "args")) access.plugin.push_back(base::text_at(word));
  for (const Json& one : base::list_at(exec, "env"))
    access.plugin_environment.push_back(base::text_at(one, "name") + "=" + base::text_at(one, "value"));
  const Json asked = {{"apiVersion", base::text_at(exec, "apiVersion")},
                      {"kind", "ExecCredential"},
                      {"spec", {{"interactive", false}}}};
  access.plugin_environment.push_back("KUBERNETES_EXEC_INFO=" +
                                      base::to_text(asked, base::JsonLayout::kOneLine));
}

Result<void> take_user(const Json& user, const fs::path& folder, KubeAccess& access) {
  access.certificate = TRY(data_or_file(user, "client-certificate", folder));
  access.key = TRY(data_or_file(user, "client-key", folder));
  if (access.certificate.empty() != access.key.empty())
    return unusable_config("client-certificate and client-key belong together");
  access.token = base::text_at(user, "token");
  const std::string file = base::text_at(user, "tokenFile");
  if (access.token.empty() && !file.empty()) access.token = TRY(base::read_file(folder / file, 1 << 20));
  access.token = base::trimmed(access.token);
  if (access.token.find_first_of(" \t\r\n") != std::string::npos)
    return unusable_config("its token is no single word");
  take_plugin(base::field_at(user, "exec"), folder, access);
  const bool has_any = !access.token.empty() || !access.certificate.empty() || !access.plugin.empty();
  if (has_any) return {};
  return unusable_config(
      "its user has neither a token, nor a client certificate, nor a program that gives one",
      "passwords and auth-provider are not supported");
}

}  // namespace

fs::path default_kubeconfig() {
  if (const char* paths = std::getenv("KUBECONFIG"); paths != nullptr && *paths != '\0')
    return std::string(base::word_of(std::string_view(paths), ':'));
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "/" : home) / ".kube/config";
}

Result<KubeAccess> decode_kubeconfig(std::string_view text, const fs::path& folder) {
  const Json config = TRY(base::parse_yaml(text, "kubeconfig"));
  if (!config.is_object()) return unusable_config("it holds no settings");
  const std::string current = base::text_at(config, "current-context");
  if (current.empty()) return unusable_config("it has no current-context", "kubectl config use-context NAME");
  const Json context = TRY(config_named(config, "contexts", "context", current));
  const Json cluster = TRY(config_named(config, "clusters", "cluster", base::text_at(context, "cluster")));
  const Json user = TRY(config_named(config, "users", "user", base::text_at(context, "user")));
  KubeAccess access;
  TRY(take_server(base::text_at(cluster, "server"), access));
  if (const std::string space = base::text_at(context, "namespace"); !space.empty())
    access.name_space = space;
  const bool is_name =
      access.name_space.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  if (!is_name) return unusable_config(fmt::format("'{}' is no name of a namespace", access.name_space));
  access.authorities = TRY(data_or_file(cluster, "certificate-authority", folder));
  access.is_unverified = base::text_at(cluster, "insecure-skip-tls-verify") == "true";
  access.server_name = base::text_at(cluster, "tls-server-name");
  TRY(take_user(user, folder, access));
  return access;
}

Result<KubeAccess> read_kubeconfig(const fs::path& path) {
  const std::string text = TRY(base::read_file(path, kLargestKubeconfig));
  auto access = decode_kubeconfig(text, path.parent_path());
  if (access.ok()) return access;
  Error error = std::move(access).error();
  error.where = path.string();
  return error;
}

Result<std::string> token_in(std::string_view credential) {
  const auto json = base::parse_json(credential, "credential");
  const std::string token = json.ok() ? base::text_at(json.value(), "status", "token") : "";
  if (!token.empty() && token.find_first_of(" \t\r\n") == std::string::npos) return token;
  return unusable_config("the program that it names gave no token");
}

namespace {

constexpr std::chrono::seconds kApiPatience{5};
constexpr std::chrono::seconds kPluginTime{30};
constexpr int kWhoAreYou = 401;
constexpr std::size_t kLargestAnswer = std::size_t{64} << 20;

RemotePlace place_of(const KubeAccess& access) {
  return {.host = access.host,
          .port = access.port,
          .pem = {access.authorities, access.certificate, access.key},
          .certified_name = access.server_name,
          .is_unverified = access.is_unverified,
          .patience = kApiPatience};
}

std::string request_text(std::string_view method, std::string_view target, const base::Json& body,
                         const KubeAccess& access) {
  const std::string content = body.is_null() ? "" : base::to_text(body, base::JsonLayout::kOneLine);
  std::string text = fmt::format(
      "{} {}{} HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\nUser-Agent: lockstep\r\nConnection: "
      "close\r\n",
      method, access.path, target, access.host);
  if (!access.token.empty()) text += fmt::format("Authorization: Bearer {}\r\n", access.token);
  if (!content.empty())
    text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", content.size());
  return text + "\r\n" + content;
}

Result<std::string> token_from(const std::vector<std::string>& plugin,
                               const std::vector<std::string>& more_environment) {
  std::vector<std::string> environment = process::own_environment();
  environment.insert(environment.end(), more_environment.begin(), more_environment.end());
  const auto printed = TRY(process::capture({plugin, environment}, kPluginTime, 1 << 20));
  return token_in(printed.out);
}

// With a token from the credential plugin, where one is named.
Result<KubeAccess> access_by(const std::filesystem::path& kubeconfig) {
  KubeAccess access = TRY(read_kubeconfig(kubeconfig));
  if (!access.plugin.empty() && access.token.empty() && access.certificate.empty())
    access.token = TRY(token_from(access.plugin, access.plugin_environment));
  return access;
}

Result<WholeAnswer> ask(const KubeAccess& access, const std::string& request) {
  const std::string where = fmt::format("https://{}:{}", access.host, access.port);
  const auto failed = [&](const std::string& why) {
    return Error{"cannot ask Kubernetes", where, why, "the kubeconfig says where it is and as whom to come"};
  };
  const auto channel = connect_tls(place_of(access));
  if (!channel.ok()) return failed(channel.error().why);
  if (!channel.value()->write_all(request)) return failed("it did not take the request");
  std::string bytes;
  char piece[16384];
  for (long count = 0; (count = channel.value()->read_some(piece, sizeof piece)) > 0;) {
    bytes.append(piece, static_cast<std::size_t>(count));
    if (bytes.size() > kLargestAnswer) return failed("its answer is too long");
  }
  auto answer = whole_answer_in(bytes);
  if (!answer) return failed("its answer is not whole");
  return std::move(*answer);
}

}  // namespace

Result<KubeApi> KubeApi::open(const std::filesystem::path& kubeconfig) {
  return KubeApi(kubeconfig, TRY(access_by(kubeconfig)));
}

std::string reason_in(const WholeAnswer& answer) {
  const auto json = base::parse_json(answer.body, "answer");
  const std::string message = json.ok() ? base::text_at(json.value(), "message") : "";
  return message.empty() ? fmt::format("it answered {}", answer.status) : message;
}

Result<WholeAnswer> KubeApi::send(std::string_view method, std::string_view target, const base::Json& body) {
  auto answer = ask(access_, request_text(method, target, body, access_));
  if (!answer.ok() || answer.value().status != kWhoAreYou) return answer;
  access_ = TRY(access_by(kubeconfig_));
  return ask(access_, request_text(method, target, body, access_));
}

Result<base::Json> KubeApi::get(std::string_view target) {
  const WholeAnswer answer = TRY(send("GET", target));
  if (!answer.is_good()) return Error{"Kubernetes refused", std::string(target), reason_in(answer), ""};
  return base::parse_json(answer.body, target);
}

}  // namespace lockstep::service
