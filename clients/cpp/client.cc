#include "lockstep/client.h"

#include <cstdlib>
#include <filesystem>
#include <sys/random.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/json.h"
#include "service/client/client.h"

namespace lockstep::client {
namespace {

using base::Json;

Failure failure_from(const Error& error) {
  std::string text = error.what;
  if (!error.where.empty()) text += fmt::format(": {}", error.where);
  if (!error.why.empty()) text += fmt::format(": {}", error.why);
  if (!error.hint.empty()) text += fmt::format(" ({})", error.hint);
  return Failure(text);
}

template <typename Value>
Value value_or_throw(Result<Value> result) {
  if (!result.ok()) throw failure_from(result.error());
  return std::move(result).value();
}

// The service is started by the program's own path.
std::string program_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    const std::string found = fmt::format("{}/{}", folder, program);
    if (::access(found.c_str(), X_OK) == 0) return found;
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
  }
  throw Failure(fmt::format("cannot start the service: {} is not in PATH", program));
}

Json json_of(const JobRequest& request) {
  Json json = request.more.empty() ? Json::object() : value_or_throw(base::parse_json(request.more, "more"));
  if (!json.is_object()) throw Failure("more: must be a JSON object");
  json["workers"] = request.workers;
  if (!request.script.empty()) json["script"] = request.script;
  if (!request.command.empty()) json["command"] = request.command;
  if (!request.args.empty()) json["args"] = request.args;
  if (!request.directory.empty()) json["directory"] = request.directory;
  if (!request.environment.empty()) json["environment"] = request.environment;
  if (!request.labels.empty()) json["labels"] = request.labels;
  return json;
}

std::optional<int> number_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number_integer() ? std::optional(found->get<int>()) : std::nullopt;
}

Job job_from(const std::string& text) {
  const Json json = value_or_throw(base::parse_json(text, "answer of the service"));
  Job job;
  job.id = json.value("id", std::string());
  job.state = json.value("state", std::string());
  job.reason = json.value("reason", std::string());
  if (const auto attempt = json.find("last_attempt"); attempt != json.end()) {
    job.exit_status = number_in(*attempt, "exit_status");
    job.first_failed_rank = number_in(*attempt, "first_failed_rank");
  }
  job.json = text;
  return job;
}

// A request that is sent again because its answer was lost makes no second job.
std::string new_key() {
  unsigned char bytes[16] = {};
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) throw Failure("no random bytes");
  std::string key;
  for (const unsigned char byte : bytes) key += fmt::format("{:02x}", byte);
  return key;
}

}  // namespace

struct Service::Connection {
  service::Client client;

  std::string answer_to(const std::string& method, const std::string& target, const std::string& body,
                        const std::map<std::string, std::string>& headers = {}) const {
    const service::Answer answer = value_or_throw(client.send(method, target, body, headers));
    if (answer.status >= 300) throw failure_from(service::error_from(answer));
    return answer.body;
  }
};

Service::Service(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Service::Service(Service&&) noexcept = default;
Service& Service::operator=(Service&&) noexcept = default;
Service::~Service() = default;

Service Service::of_this_user(const std::string& program) {
  auto client = service::Client::connect(service::default_state_folder(), program_in_path(program));
  return Service(std::make_unique<Connection>(Connection{value_or_throw(std::move(client))}));
}

Service Service::at(const std::string& url, const std::string& token, const std::string& authorities) {
  service::RemotePlace place = value_or_throw(service::remote_place(url));
  place.authorities = authorities;
  return Service(std::make_unique<Connection>(
      Connection{value_or_throw(service::Client::connect_remote(place, token))}));
}

Job Service::submit(const JobRequest& request) const {
  const std::string body = base::to_text(json_of(request), base::JsonLayout::kOneLine);
  return job_from(connection_->answer_to("POST", "/v1/jobs", body, {{"Idempotency-Key", new_key()}}));
}

Job Service::job(const std::string& id) const {
  return job_from(connection_->answer_to("GET", "/v1/jobs/" + id, ""));
}

Job Service::cancel(const std::string& id) const {
  return job_from(connection_->answer_to("POST", fmt::format("/v1/jobs/{}/cancel", id), ""));
}

void Service::follow(const std::string& id, const std::function<void(int, std::string_view)>& on_line) const {
  const auto done = service::follow_log(connection_->client, id, "", [&](int rank, const std::string& text) {
    on_line(rank, text);
    return true;
  });
  if (!done.ok()) throw failure_from(done.error());
}

std::string Service::send(const std::string& method, const std::string& target,
                          const std::string& body) const {
  return connection_->answer_to(method, target, body);
}

}  // namespace lockstep::client
