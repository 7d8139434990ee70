#include "cli/service_client.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text_fields.h"
#include "cli/terminal.h"
#include "report/findings_json.h"
#include "report/format.h"
#include "service/client/client.h"
#include "service/job/job.h"

namespace lockstep::cli {

namespace {

using Clock = std::chrono::steady_clock;

// What happens to a job that somebody waits for, a line each. On a terminal the last line says besides since
// when it waits or runs, and what it printed last.
class JobProgress {
 public:
  JobProgress(const service::Client& client, std::string id, Terminal& terminal);
  JobProgress(const JobProgress&) = delete;
  JobProgress& operator=(const JobProgress&) = delete;
  ~JobProgress() { stop(); }

  void saw(int rank, const std::string& line);
  // Takes the line away, once all that happened is told.
  void stop();

 private:
  void show_until_stopped();
  void tell_news();
  std::string state_now();

  const service::Client& client_;
  const std::string id_;
  Terminal& terminal_;
  std::int64_t told_until_ = 0;  // the sequence of the last event that was told
  std::string state_;
  Clock::time_point since_ = Clock::now();
  std::mutex mutex_;  // guards the two below
  std::string last_line_;
  bool is_over_ = false;
  std::condition_variable wakes_;
  std::thread thread_;
};

constexpr std::chrono::seconds kBetweenLooks{1};
constexpr std::size_t kLeastOfAnId = 2;  // of one that was shortened
constexpr std::string_view kTakeLineAway = "\r\x1b[K";

// As many code points as fit; what is left of a long line is not worth a second one.
std::string cut_to(const std::string& text, std::size_t columns) {
  std::size_t bytes = 0;
  for (std::size_t seen = 0; bytes < text.size(); ++bytes) {
    const bool begins_a_character = (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80;
    if (begins_a_character && seen++ == columns) break;
  }
  return text.substr(0, bytes);
}

std::string state_in_words(const base::Json& job, std::int64_t seconds) {
  const std::string state = base::text_at(job, "state");
  if (state == "QUEUED") return fmt::format("waits for its turn, {} s", seconds);
  if (state != "RUNNING") return "";
  const auto attempts = job.find("attempts");
  const bool is_again = attempts != job.end() && attempts->is_number_integer() && attempts->get<int>() > 1;
  return is_again ? fmt::format("runs, attempt {}, {} s", attempts->get<int>(), seconds)
                  : fmt::format("runs, {} s", seconds);
}

JobProgress::JobProgress(const service::Client& client, std::string id, Terminal& terminal)
    : client_(client), id_(std::move(id)), terminal_(terminal) {
  thread_ = std::thread([this] { show_until_stopped(); });
}

void JobProgress::saw(int rank, const std::string& line) {
  const std::lock_guard lock(mutex_);
  last_line_ = fmt::format("[{}] {}", rank, line);
}

void JobProgress::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wakes_.notify_all();
  thread_.join();
  tell_news();
  if (terminal_.err_is_terminal()) terminal_.tell(kTakeLineAway);
}

void JobProgress::tell_news() {
  const auto answer =
      json_of(client_.send("GET", fmt::format("/v1/jobs/{}/events?after={}", id_, told_until_)));
  if (!answer.ok() || !answer.value().contains("events")) return;
  for (const base::Json& event : answer.value()["events"]) {
    told_until_ = std::max(told_until_, event.value("sequence", std::int64_t{0}));
    const std::string line = base::escape_for_terminal("lockstep: " + event_in_words(event));
    terminal_.tell(fmt::format("{}{}\n", terminal_.err_is_terminal() ? kTakeLineAway : "", line));
  }
}

std::string JobProgress::state_now() {
  const auto job = json_of(client_.send("GET", "/v1/jobs/" + id_));
  if (!job.ok()) return "the service does not answer; it is tried again";
  const std::string state = base::text_at(job.value(), "state");
  if (state != state_) {
    if (!state_.empty()) since_ = Clock::now();
    state_ = state;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - since_).count();
  return state_in_words(job.value(), seconds);
}

void JobProgress::show_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!wakes_.wait_for(lock, kBetweenLooks, [this] { return is_over_; })) {
    const std::string last_line = last_line_;
    lock.unlock();
    tell_news();
    if (terminal_.err_is_terminal()) {
      const std::string words = state_now();
      const std::string line = base::escape_for_terminal(fmt::format("lockstep: {} {}", words, last_line));
      const auto columns = static_cast<std::size_t>(terminal_.width() - 1);
      if (!words.empty()) terminal_.tell(fmt::format("{}{}", kTakeLineAway, cut_to(line, columns)));
    }
    lock.lock();
  }
}

using base::Json;

constexpr std::size_t kLongestToken = 4096;

void show_line(int rank, const std::string& text, Terminal& terminal) {
  const std::string line = fmt::format("[{}] {}", rank, text);
  static_cast<void>(
      terminal.write((terminal.out_is_terminal() ? base::escape_for_terminal(line) : line) + "\n").ok());
  static_cast<void>(terminal.flush().ok());
}

// One line for each thing that was wrong before the job started.
Result<void> print_check(const Json& job, Terminal& terminal) {
  const auto check = job.find("check");
  if (check == job.end()) return {};
  const model::Verdict verdict = TRY(report::findings_from_json(*check, "check"));
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

std::string event_in_words(const Json& event) {
  const std::string detail = base::text_at(event, "detail");
  const std::string kind = base::text_at(event, "kind");
  return detail.empty() ? kind : fmt::format("{}: {}", kind, detail);
}

Result<std::string> job_id_from(const service::Client& client, const std::string& typed) {
  if (service::is_job_id(typed)) return typed;
  constexpr std::string_view kPrefix = "job_";
  const std::string begin = typed.starts_with(kPrefix) ? typed : std::string(kPrefix) + typed;
  if (begin.size() < kPrefix.size() + kLeastOfAnId)
    return Error{"no such job", typed, "too short; type at least two characters after job_",
                 "lockstep jobs lists them"};
  std::vector<std::string> found;
  for (std::string target = "/v1/jobs?limit=500"; !target.empty();) {
    const Json page = TRY(json_of(client.send("GET", target)));
    for (const Json& job : page["jobs"]) {
      std::string id = base::text_at(job, "id");
      if (id.starts_with(begin)) found.push_back(std::move(id));
    }
    const std::string next = base::text_at(page, "next_cursor");
    target = next.empty() ? "" : "/v1/jobs?limit=500&cursor=" + next;
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) return Error{"no such job", typed, "", "lockstep jobs lists them"};
  return Error{"ambiguous job name", typed, fmt::format("{} jobs start with that", found.size()),
               fmt::format("as {}", found.front())};
}

Result<std::string> open_page(const service::Client& client, std::uint16_t port) {
  const Json opened = TRY(json_of(client.send("POST", fmt::format("/v1/page?port={}", port))));
  return base::text_at(opened, "address");
}

std::optional<std::string> page_address(const service::Client& client, const std::string& job) {
  const auto told = json_of(client.send("GET", "/v1/page"));
  const std::string address = told.ok() ? base::text_at(told.value(), "address") : "";
  if (address.empty()) return std::nullopt;
  return address_of_job(address, job);
}

std::string address_of_job(const std::string& page, const std::string& job) {
  return job.empty() ? page : fmt::format("{}/job/{}", page, job);
}

Result<void> print_job(const Json& job, Terminal& terminal) {
  std::string line = fmt::format("lockstep: {}: {}", base::text_at(job, "id"), base::text_at(job, "state"));
  if (const std::string reason = base::text_at(job, "reason"); !reason.empty()) line += ": " + reason;
  terminal.tell(base::escape_for_terminal(line) + "\n");
  TRY(print_check(job, terminal));
  const auto diagnosis = job.find("diagnosis");
  if (diagnosis == job.end()) return {};
  const model::Verdict verdict = TRY(report::findings_from_json(*diagnosis, "diagnosis"));
  terminal.tell("\n");
  terminal.tell(
      report::render_text(verdict, {.colour = terminal.color_on_err(),
                                    .width = terminal.width(),
                                    .details_command = "lockstep jobs --json " + base::text_at(job, "id")}));
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
