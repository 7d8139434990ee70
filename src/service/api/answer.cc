#include <algorithm>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text_fields.h"
#include "service/api/api.h"
#include "service/http/problem.h"

namespace lockstep::service {
namespace {

// The text that stands for {id}; nothing when the path is another one.
std::optional<std::string> match(std::string_view pattern, std::string_view path) {
  const std::size_t begin = pattern.find("{id}");
  if (begin == std::string_view::npos) return pattern == path ? std::optional(std::string()) : std::nullopt;
  const std::string_view before = pattern.substr(0, begin);
  const std::string_view after = pattern.substr(begin + 4);
  if (!path.starts_with(before) || path.size() <= before.size() + after.size() || !path.ends_with(after)) {
    return std::nullopt;
  }
  const std::string_view id = path.substr(before.size(), path.size() - before.size() - after.size());
  if (id.find('/') != std::string_view::npos) return std::nullopt;
  return std::string(id);
}

// The user whose service this is may do everything; nobody else gets through a Unix socket.
std::optional<Principal> principal_of(const Request& request) {
  if (!request.peer || (*request.peer != ::geteuid() && *request.peer != 0)) return std::nullopt;
  return Principal{fmt::format("uid:{}", *request.peer), true, true, true};
}

bool is_allowed(const Principal& principal, Needs needs) {
  switch (needs) {
    case Needs::kNothing:
      return true;
    case Needs::kRead:
      return principal.may_read;
    case Needs::kSubmit:
      return principal.may_submit;
  }
  return false;
}

std::optional<std::string> unknown_parameter(const Route& route, const Request& request) {
  for (const auto& [name, value] : request.query) {
    if (std::ranges::find(route.query, name, &QueryParameter::name) == route.query.end()) return name;
  }
  return std::nullopt;
}

}  // namespace

Response answer(JobService& service, const Request& request) {
  std::vector<std::string_view> methods;
  for (const Route& route : routes()) {
    const auto id = match(route.path, request.path);
    if (!id) continue;
    methods.push_back(route.method);
    const bool is_meant =
        request.method == route.method || (request.method == "HEAD" && route.method == "GET");
    if (!is_meant) continue;
    const auto principal = principal_of(request);
    if (!principal && route.needs != Needs::kNothing) {
      return answer(Problem{.status = 401, .code = "unauthenticated", .title = "Nobody knows who asks"});
    }
    const Principal who = principal.value_or(Principal{});
    if (!is_allowed(who, route.needs)) {
      return answer(Problem{.status = 403, .code = "forbidden", .title = "This is not yours to do"});
    }
    if (const auto unknown = unknown_parameter(route, request)) {
      return answer(Problem{.status = 400,
                            .code = "bad_query",
                            .title = "A parameter of the query is wrong",
                            .detail = fmt::format("{}: no such parameter", *unknown)});
    }
    Call call{service, request, who, *id};
    return route.run(call);
  }
  if (methods.empty()) {
    return answer(Problem{.status = 404,
                          .code = "no_such_path",
                          .title = "There is nothing at this path",
                          .hint = "see /openapi.json"});
  }
  Response refused =
      answer(Problem{.status = 405, .code = "method_not_allowed", .title = "This path has other methods"});
  refused.headers.emplace_back("Allow", fmt::format("{}", fmt::join(methods, ", ")));
  return refused;
}

}  // namespace lockstep::service
