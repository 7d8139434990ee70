#include "cli/service_client.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json_fields.h"
#include "base/text_fields.h"
#include "cli/job_progress.h"
#include "report/findings_json.h"
#include "report/text.h"
#include "service/client/follow_log.h"
#include "service/client/start_service.h"

namespace lockstep::cli {
namespace {

using base::Json;

constexpr std::size_t kLongestToken = 4096;

void show_line(int rank, const std::string& text, Terminal& terminal) {
  const std::string line = fmt::format("[{}] {}", rank, text);
  static_cast<void>(
      terminal.write((terminal.out_is_terminal() ? base::escape_for_terminal(line) : line) + "\n").ok());
  static_cast<void>(terminal.flush().ok());
}

// One line for each thing that was wrong before the job started.
Result<void> tell_check(const Json& job, Terminal& terminal) {
  const auto check = job.find("check");
  if (check == job.end()) return {};
  const model::Verdict verdict =
      TRY(report::decode_findings(base::to_text(*check, base::JsonLayout::kOneLine), "check"));
  for (const model::Finding& finding : verdict.findings) {
    terminal.tell(base::escape_for_terminal(
                      fmt::format("lockstep: check: {} [{}]", finding.title, finding.code.text())) +
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

Result<void> tell_job(const Json& job, Terminal& terminal) {
  std::string line = fmt::format("lockstep: {}: {}", base::text_at(job, "id"), base::text_at(job, "state"));
  if (const std::string reason = base::text_at(job, "reason"); !reason.empty()) line += ": " + reason;
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
                        Terminal& terminal) {
  JobProgress progress(client, id, terminal);  // until there is something better to see
  return service::follow_log(client, id, query, [&](int rank, const std::string& text) {
    progress.stop();
    show_line(rank, text, terminal);
    return !terminal.reader_is_gone();
  });
}

Result<void> wait_for_job(const service::Client& client, const std::string& id, Terminal& terminal) {
  JobProgress progress(client, id, terminal);
  return service::follow_log(client, id, "", [&](int rank, const std::string& text) {
    progress.saw(rank, text);
    return true;
  });
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
