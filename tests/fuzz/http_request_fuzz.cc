// Whatever comes over the service's socket: the bytes of a request, as its session reads them, are routed and
// answered, once as the service's own user and once as a stranger. Every answer that is no stream is whole,
// and whoever is not known gets nothing.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <boost/beast/http.hpp>

#include "base/check.h"
#include "base/json.h"
#include "service/api/api.h"
#include "service/engine/cluster.h"
#include "service/engine/local_engine.h"
#include "service/http/message_from.h"
#include "service/store/open_store.h"

namespace {

namespace fs = std::filesystem;
namespace http = boost::beast::http;
using namespace lockstep::service;

constexpr std::uint32_t kHeadBytes = 16 << 10;
constexpr std::uint64_t kBodyBytes = 8 << 20;

Clusters one_machine() {
  Clusters clusters;
  clusters.by_engine[EngineKind::kLocal] = std::make_unique<OneMachine>(Resources{8000, 1 << 30, 0});
  return clusters;
}

JobService& service() {
  static const fs::path folder = [] {
    char name[] = "/tmp/lockstep-fuzz-http-XXXXXX";
    return fs::path(::mkdtemp(name));
  }();
  static JobService made(open_store({folder}).value(),
                         std::make_unique<LocalEngine>(folder / "jobs", "/bin/false"), one_machine(),
                         Machine{{8000, 1 << 30, 0}, {}}, ReportMaker("/bin/false"));
  static const int at_exit = std::atexit([] { fs::remove_all(folder); });
  static_cast<void>(at_exit);
  return made;
}

void check_sound(const Response& response) {
  CHECK(response.status >= 200 && response.status < 600, "an answer has a status of HTTP");
  CHECK(response.status != 500, "no request is too much for the service");
  const bool is_json = response.content_type.ends_with("json") && response.source == nullptr;
  if (is_json && response.status != 204)
    CHECK(lockstep::base::parse_json(response.body, "answer").ok(), "what is called JSON is JSON");
}

// What was accepted goes again: thousands of inputs share one store.
void forget(const Response& response) {
  for (const auto& [name, value] : response.headers) {
    if (name != "Location") continue;
    const auto job = service().store().job(value.substr(value.rfind('/') + 1));
    if (!job.ok() || !job.value()) continue;
    CHECK(service().cancel(*job.value()).ok(), "a job that waits can be cancelled");
    CHECK(service().remove(job.value()->id).ok(), "a job that is over can be deleted");
  }
}

void ask(Request request, std::optional<uid_t> peer) {
  request.peer = peer;
  if (const auto refusal = refusal_of(service(), request)) check_sound(*refusal);
  const std::vector<Response> responses = answer(service(), {&request, 1});
  CHECK(responses.size() == 1, "a request has one answer");
  const Response& response = responses.front();
  check_sound(response);
  std::string bytes;
  if (response.source != nullptr) static_cast<void>(response.source->next(bytes));
  const bool is_for_all = request.path == "/" || request.path == "/livez" || request.path == "/readyz" ||
                          request.path == "/openapi.json";
  CHECK(peer || response.status >= 400 || is_for_all, "a stranger gets nothing");
  forget(response);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  http::request_parser<http::string_body> parser;
  parser.header_limit(kHeadBytes);
  parser.body_limit(kBodyBytes);
  parser.eager(true);
  boost::system::error_code fault;
  parser.put(boost::asio::const_buffer(data, size), fault);
  if (fault || !parser.is_header_done()) return 0;
  auto request = request_from(parser.get(), std::nullopt);
  if (!request) return 0;
  request->body = parser.get().body();
  ask(*request, ::geteuid());
  ask(*request, std::nullopt);
  return 0;
}
