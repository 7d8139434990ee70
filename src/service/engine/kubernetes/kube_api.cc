#include "service/engine/kubernetes/kube_api.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/process/capture.h"
#include "base/process/environment.h"
#include "service/client/channel.h"

namespace lockstep::service {
namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::seconds kPluginTime{30};
constexpr int kWhoAreYou = 401;
constexpr std::size_t kLargestAnswer = std::size_t{64} << 20;

RemotePlace place_of(const KubeAccess& access) {
  return {.host = access.host,
          .port = access.port,
          .pem = {access.authorities, access.certificate, access.key},
          .certified_name = access.server_name,
          .is_unverified = access.is_unverified,
          .patience = kPatience};
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
