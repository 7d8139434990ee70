#include <algorithm>

#include <fmt/format.h>

#include "base/net/address.h"
#include "base/text_fields.h"
#include "launchers/tf_config.h"
#include "network/choices/choice.h"

namespace lockstep::network {
namespace {

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

void resolve(const hostinfo::HostFacts& facts, const std::string& host, TensorflowTask& task,
             TensorflowChoice& choice) {
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
  const launchers::TfConfig config = launchers::read_tf_config(variable_in(environment, kVariable));
  if (!config.has_cluster) {
    choice.failure = "TF_CONFIG holds no cluster";
    return choice;
  }
  const std::string own_job = config.type && config.type->is_string() ? config.type->get<std::string>() : "";
  const int own_index = config.index && config.index->is_number_integer() ? config.index->get<int>() : -1;
  const Proxy proxy = proxy_in(environment);
  for (const launchers::TfConfig::Job& job : config.cluster) {
    int index = 0;
    for (const std::string& address : job.addresses) {
      const base::Endpoint endpoint = base::endpoint_of(address);
      TensorflowTask task;
      task.job = job.name;
      task.index = index++;
      task.endpoint = address;
      const auto port = base::number_in<std::uint16_t>(endpoint.port);
      if (!port) choice.trail.push_back({task.endpoint + " has no port", kVariable});
      task.port = port.value_or(0);
      task.is_own = job.name == own_job && task.index == own_index;
      resolve(facts, endpoint.host, task, choice);
      task.goes_through_proxy = !task.is_own && !proxy.variable.empty() && !is_excepted(proxy, endpoint.host);
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
