#include "cli/service_client.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/text_fields.h"
#include "report/findings_json.h"
#include "report/text.h"
#include "service/client/start_service.h"

namespace lockstep::cli {
namespace {

using base::Json;

constexpr int kTries = 50;
constexpr std::size_t kLongestToken = 4096;

// One event of a log stream: the id to go on from, and the line.
struct Following {
  std::string last_id;
  bool is_over = false;
};

void take_line(std::string_view line, bool shown, Following& following, Terminal& terminal) {
  if (line.starts_with("event: end")) following.is_over = true;
  if (line.starts_with("id: ")) following.last_id = line.substr(4);
  if (!line.starts_with("data: ") || following.is_over || !shown) return;
  const auto entry = base::parse_json(line.substr(6), "log");
  if (!entry.ok() || !entry.value().contains("text") || !entry.value().contains("rank")) return;
  const std::string text =
      fmt::format("[{}] {}\n", entry.value()["rank"].get<int>(), entry.value()["text"].get<std::string>());
  if (terminal.out_is_terminal()) {
    static_cast<void>(terminal.write(base::escape_for_terminal(text.substr(0, text.size() - 1)) + "\n").ok());
  } else {
    static_cast<void>(terminal.write(text).ok());
  }
  static_cast<void>(terminal.flush().ok());
}

}  // namespace

namespace {

// One line for each thing that was wrong before the job started.
Result<void> tell_check(const Json& job, Terminal& terminal) {
  const auto check = job.find("check");
  if (check == job.end()) return {};
  const model::Verdict verdict =
      TRY(report::decode_findings(base::to_text(*check, base::JsonLayout::kOneLine), "check"));
  for (const model::Finding& finding : verdict.findings) {
    terminal.tell(
        base::escape_for_terminal(fmt::format("lockstep: check: {} [{}]", finding.title, finding.code)) +
        "\n");
  }
  return {};
}

Result<service::Client> reach_remote(const std::string& url, const Args& args) {
  service::RemotePlace place = TRY(service::remote_place(url));
  place.authorities = args.value("tls-ca").value_or("");
  const std::string file = args.value("token-file").value_or("");
  if (file.empty()) {
    return Error{"cannot reach the service", url, "there is no token for it",
                 "give the file with --token-file; 'lockstep serve --make-token' there makes one"};
  }
  const std::string text = TRY(base::read_file(file, kLongestToken));
  return service::Client::connect_remote(place, std::string(base::trimmed(text)));
}

}  // namespace

std::filesystem::path state_folder(const Args& args) {
  const auto given = args.value("state");
  return given && !given->empty() ? std::filesystem::absolute(*given) : service::default_state_folder();
}

Result<service::Client> reach_service(const Args& args) {
  if (const auto url = args.value("service"); url && !url->empty()) return reach_remote(*url, args);
  const std::string program = TRY(service::own_program());
  return service::Client::connect(state_folder(args), program);
}

Result<Json> json_of(const Result<service::Answer>& answer) {
  if (!answer.ok()) return answer.error();
  if (answer.value().status >= 300) return service::error_from(answer.value());
  return base::parse_json(answer.value().body, "answer of the service");
}

std::string text_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<void> tell_job(const Json& job, Terminal& terminal) {
  std::string line = fmt::format("lockstep: {}: {}", text_in(job, "id"), text_in(job, "state"));
  if (const std::string reason = text_in(job, "reason"); !reason.empty()) line += ": " + reason;
  terminal.tell(base::escape_for_terminal(line) + "\n");
  TRY(tell_check(job, terminal));
  const auto diagnosis = job.find("diagnosis");
  if (diagnosis == job.end()) return {};
  const model::Verdict verdict =
      TRY(report::decode_findings(base::to_text(*diagnosis, base::JsonLayout::kOneLine), "diagnosis"));
  terminal.tell("\n");
  terminal.tell(report::render_text(verdict, {.colour = terminal.color_on_err(), .width = terminal.width()}));
  return {};
}

Result<void> follow_job(const service::Client& client, const std::string& id, const std::string& query,
                        bool shown, Terminal& terminal) {
  Following following;
  Result<void> outcome;
  for (int tries = 0; tries < kTries && !following.is_over; ++tries) {
    std::map<std::string, std::string> headers = {{"Accept", "text/event-stream"}};
    if (!following.last_id.empty()) headers["Last-Event-ID"] = following.last_id;
    outcome = client.stream(fmt::format("/v1/jobs/{}/logs?follow=true{}", id, query), headers,
                            [&](std::string_view line) {
                              tries = 0;
                              take_line(line, shown, following, terminal);
                              return !following.is_over && !terminal.reader_is_gone();
                            });
    if (following.is_over || terminal.reader_is_gone()) return {};
    const bool is_refused = !outcome.ok() && outcome.error().what.find("reach") == std::string::npos &&
                            outcome.error().what.find("broke off") == std::string::npos;
    if (is_refused) return outcome;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  if (following.is_over) return {};
  return Error{"lost the service", id, "it does not answer any more", "start it again with 'lockstep serve'"};
}

int status_of(const Json& job) {
  const auto attempt = job.find("last_attempt");
  if (attempt == job.end()) return static_cast<int>(ExitStatus::kCouldNotDoIt);
  const auto status = attempt->find("exit_status");
  if (status == attempt->end() || !status->is_number_integer())
    return static_cast<int>(ExitStatus::kCouldNotDoIt);
  return status->get<int>();
}

}  // namespace lockstep::cli
