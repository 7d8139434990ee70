#include "service/api/api.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text_fields.h"
#include "service/http/message.h"
#include "service/job/job.h"
#include "service/store/seal.h"

namespace lockstep::service {

std::optional<std::string> bearer_token(const Request& request) {
  const auto header = request.headers.find("authorization");
  if (header == request.headers.end()) return std::nullopt;
  std::string scheme(base::word_of(header->second));
  if (scheme.size() >= header->second.size()) return std::nullopt;
  const std::string_view token = base::trimmed(std::string_view(header->second).substr(scheme.size() + 1));
  std::ranges::transform(scheme, scheme.begin(), [](unsigned char c) { return std::tolower(c); });
  if (scheme != "bearer" || token.empty()) return std::nullopt;
  return std::string(token);
}

Result<std::optional<Principal>> principal_of(const Request& request, Store& store, std::int64_t now_ms) {
  if (request.peer) {
    if (*request.peer != ::geteuid() && *request.peer != 0) return std::optional<Principal>();
    return std::optional(Principal{fmt::format("uid:{}", *request.peer), true, true, true});
  }
  const auto text = bearer_token(request);
  if (!text) return std::optional<Principal>();
  const auto token = TRY(store.token_with_hash(sha256(*text)));
  if (!token || now_ms >= token->expires_ms) return std::optional<Principal>();
  return std::optional(Principal{token->owner, token->may_read, token->may_submit, token->is_admin});
}

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

// A link to the page may have been passed on with more at its end; people get the page all the same.
bool is_for_people(const Route& route) {
  return route.path == "/";
}

std::optional<std::string> unknown_parameter(const Route& route, const Request& request) {
  if (is_for_people(route)) return std::nullopt;
  for (const auto& [name, value] : request.query) {
    if (std::ranges::find(route.query, name, &Parameter::name) == route.query.end()) return name;
  }
  return std::nullopt;
}

// What a request comes to: a call of a route, or its refusal.
struct Routed {
  const Route* route = nullptr;
  std::optional<Call> call;
  Response refusal;
};

Routed refused(const Problem& problem) {
  return {nullptr, std::nullopt, answer(problem)};
}

Routed permitted(JobService& service, const Request& request, const Route& route, std::string id) {
  const auto principal = principal_of(request, service.store(), now_in_ms());
  if (!principal.ok()) {
    return refused({.status = 500, .code = "internal", .title = principal.error().what});
  }
  if (!principal.value() && route.needs != Needs::kNothing) {
    Routed unknown = refused({.status = 401,
                              .code = "unauthenticated",
                              .title = "Nobody knows who asks",
                              .hint = "send a token of 'lockstep serve --make-token' as a bearer"});
    unknown.refusal.headers.emplace_back("WWW-Authenticate", "Bearer");
    return unknown;
  }
  const Principal who = principal.value().value_or(Principal{});
  if (!is_allowed(who, route.needs)) {
    return refused({.status = 403, .code = "forbidden", .title = "This is not yours to do"});
  }
  if (const auto unknown = unknown_parameter(route, request)) {
    return refused({.status = 400,
                    .code = "bad_query",
                    .title = "A parameter of the query is wrong",
                    .detail = fmt::format("{}: no such parameter", *unknown)});
  }
  return {&route, Call{service, request, who, std::move(id)}, {}};
}

Routed routed(JobService& service, const Request& request) {
  std::vector<std::string_view> methods;
  for (const Route& route : routes()) {
    auto id = match(route.path, request.path);
    if (!id) continue;
    methods.push_back(route.method);
    const bool is_meant =
        request.method == route.method || (request.method == "HEAD" && route.method == "GET");
    if (is_meant) return permitted(service, request, route, std::move(*id));
  }
  if (methods.empty()) {
    return refused({.status = 404,
                    .code = "no_such_path",
                    .title = "There is nothing at this path",
                    .hint = "see /openapi.json"});
  }
  Routed none =
      refused({.status = 405, .code = "method_not_allowed", .title = "This path has other methods"});
  none.refusal.headers.emplace_back("Allow", fmt::format("{}", fmt::join(methods, ", ")));
  return none;
}

// Calls of one route that are handled together, and where their answers belong.
struct Together {
  std::vector<Call> calls;
  std::vector<std::size_t> places;
};

// Whatever failed, it failed for that.
Response told_if_store_is_away(const JobService& service, Response response) {
  if (response.status != 500 || service.store().is_reachable()) return response;
  Response away = answer(Problem{.status = 503,
                                 .code = "store_unreachable",
                                 .title = "The job store cannot be reached",
                                 .hint = "jobs run on; ask again in a moment"});
  away.headers.emplace_back("Retry-After", "2");
  return away;
}

}  // namespace

std::optional<Response> refusal_of(JobService& service, const Request& request) {
  Routed found = routed(service, request);
  if (found.call) return std::nullopt;
  return told_if_store_is_away(service, std::move(found.refusal));
}

std::vector<Response> answer(JobService& service, std::span<const Request> requests) {
  std::vector<Response> responses(requests.size());
  std::map<const Route*, Together> together;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Routed found = routed(service, requests[i]);
    if (!found.call) {
      responses[i] = std::move(found.refusal);
    } else if (found.route->run_together == nullptr) {
      responses[i] = found.route->run(*found.call);
    } else {
      Together& same = together[found.route];
      same.calls.push_back(std::move(*found.call));
      same.places.push_back(i);
    }
  }
  for (auto& [route, same] : together) {
    std::vector<Response> answers = route->run_together(same.calls);
    for (std::size_t i = 0; i < answers.size(); ++i) responses[same.places[i]] = std::move(answers[i]);
  }
  for (Response& response : responses) response = told_if_store_is_away(service, std::move(response));
  return responses;
}

}  // namespace lockstep::service
