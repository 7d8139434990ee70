// The API: which requests there are, who may make them, and what answers them. docs/verbs/serve.md
// describes it for people, /openapi.json for programs; both follow the table in routes.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/http/message.h"
#include "service/job_service.h"
#include "service/store/store.h"

namespace lockstep::service {

// Who asks, and what they may do.
struct Principal {
  std::string owner;
  bool may_read = false;
  bool may_submit = false;
  bool is_admin = false;
};

enum class Needs : std::uint8_t { kNothing, kRead, kSubmit };

// Of a query or a head.
struct Parameter {
  std::string_view name;
  std::string_view type;  // of JSON Schema
  std::string_view meaning;
  std::string_view pattern = "";  // of a text; empty: any
  std::int64_t least = 0;         // of an integer
  std::int64_t most = 0;
  bool is_required = false;
};

struct Call {
  JobService& service;
  const Request& request;
  Principal principal;
  std::string id;  // of the job that the path names
};

struct Route {
  std::string_view method;
  std::string_view path;  // "/v1/jobs/{id}"
  std::string_view summary;
  Needs needs;
  int success;
  // The name of a schema in the OpenAPI document; or the media types of what is not JSON; or nothing.
  std::string_view answer;
  Response (*run)(Call& call);
  std::span<const Parameter> query = {};
  std::span<const Parameter> headers = {};
  // In place of run, for requests that share one write to the disk when they come together.
  std::vector<Response> (*run_together)(std::span<Call> calls) = nullptr;
  std::string_view meanwhile = {};  // what a 202 says, where the answer may not be there yet
};

std::span<const Route> routes();

// The OpenAPI 3.1 document, made from routes() and spec_fields().
std::string openapi_document();

// Why a request cannot be answered whatever its body says. Nothing: it may go on.
std::optional<Response> refusal_of(JobService& service, const Request& request);

// Requests that came together, and their answers in the same order.
std::vector<Response> answer(JobService& service, std::span<const Request> requests);

std::optional<std::string> bearer_token(const Request& request);

// The user whose service this is, at the other end of a Unix socket; else the bearer of a token. Nothing:
// nobody knows who it is.
Result<std::optional<Principal>> principal_of(const Request& request, Store& store, std::int64_t now_ms);

}  // namespace lockstep::service
