#include "network/choices/tensorflow.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text_fields.h"

namespace lockstep::network {
namespace {

using base::Json;

struct Proxy {
  std::string variable;
  std::string exceptions;  // of no_grpc_proxy or no_proxy
};

Proxy proxy_in(const Environment& environment) {
  Proxy proxy;
  for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    if (variable_in(environment, name).empty()) continue;
    proxy.variable = name;
    break;
  }
  const auto own = variable_in(environment, "no_grpc_proxy");
  proxy.exceptions = own.empty() ? variable_in(environment, "no_proxy") : own;
  return proxy;
}

// An entry stands for every name that ends with it.
bool is_excepted(const Proxy& proxy, std::string_view host) {
  return std::ranges::any_of(split_list(proxy.exceptions), [&](std::string_view entry) {
    entry = base::trimmed(entry);
    return !entry.empty() && host.ends_with(entry);
  });
}

std::string_view host_in(std::string_view endpoint) {
  if (endpoint.starts_with('[')) return base::word_of(endpoint.substr(1), ']');
  return endpoint.substr(0, endpoint.rfind(':'));
}

void resolve(const hostinfo::HostFacts& facts, TensorflowTask& task, TensorflowChoice& choice) {
  const std::string host(host_in(task.endpoint));
  if (const auto literal = base::parse_address(host)) {
    task.addresses = {*literal};
  } else if (const hostinfo::ResolvedName* const named = facts.resolved(host)) {
    task.addresses = named->any;
    if (named->any.empty())
      choice.trail.push_back({fmt::format("{} does not resolve: {}", host, named->any_error), "resolver"});
  } else {
    choice.trail.push_back({fmt::format("how {} resolves is not among the facts", host), "facts"});
  }
}

}  // namespace

TensorflowChoice choose_tensorflow(const hostinfo::HostFacts& facts, const Environment& environment) {
  constexpr const char* kVariable = "TF_CONFIG";
  TensorflowChoice choice;
  const auto config = base::parse_json(variable_in(environment, kVariable), kVariable);
  if (!config.ok() || !config.value().is_object() || !config.value().contains("cluster") ||
      !config.value()["cluster"].is_object()) {
    choice.failure = "TF_CONFIG holds no cluster";
    return choice;
  }
  const Json& whole = config.value();
  const Json own = whole.contains("task") && whole["task"].is_object() ? whole["task"] : Json::object();
  const std::string own_job = base::text_at(own, "type");
  const int own_index =
      own.contains("index") && own["index"].is_number_integer() ? own["index"].get<int>() : -1;
  const Proxy proxy = proxy_in(environment);
  for (const auto& [job, list] : whole["cluster"].items()) {
    if (!list.is_array()) continue;
    int index = 0;
    for (const Json& item : list) {
      TensorflowTask task;
      task.job = job;
      task.index = index++;
      if (!item.is_string()) continue;
      task.endpoint = item.get<std::string>();
      const std::size_t colon = task.endpoint.rfind(':');
      const auto port =
          colon == std::string::npos
              ? std::nullopt
              : base::number_in<std::uint16_t>(std::string_view(task.endpoint).substr(colon + 1));
      if (!port) choice.trail.push_back({task.endpoint + " has no port", kVariable});
      task.port = port.value_or(0);
      task.is_own = job == own_job && task.index == own_index;
      resolve(facts, task, choice);
      task.goes_through_proxy =
          !task.is_own && !proxy.variable.empty() && !is_excepted(proxy, host_in(task.endpoint));
      if (task.goes_through_proxy)
        choice.trail.push_back({task.endpoint + " is asked through a proxy", proxy.variable});
      if (task.is_own)
        choice.trail.push_back(
            {fmt::format("this task listens on port {} of all addresses", task.port), kVariable});
      choice.tasks.push_back(std::move(task));
    }
  }
  const bool has_own = std::ranges::any_of(choice.tasks, &TensorflowTask::is_own);
  if (!has_own) choice.failure = fmt::format("the cluster has no task {} {}", own_job, own_index);
  return choice;
}

}  // namespace lockstep::network
