#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "report/html/html.h"
#include "report/html/log_excerpts.h"
#include "service/api/handler.h"
#include "service/engine/artifacts.h"
#include "service/http/message.h"
#include "service/job/job.h"
#include "service/job/resolve.h"

namespace lockstep::service {

namespace {

constexpr std::size_t kLargestReport = std::size_t{256} << 20;
constexpr std::size_t kLongestLog = std::size_t{64} << 10;

Response internal_fault(const Error& error) {
  return answer(Problem{.status = 500, .code = "internal", .title = error.what, .detail = error.why});
}

Response no_such_attempt() {
  return answer(Problem{.status = 404, .code = "attempt_not_found", .title = "There is no such attempt"});
}

std::optional<Attempt> attempt_named(const std::vector<Attempt>& attempts,
                                     const std::optional<std::string>& name) {
  if (attempts.empty()) return std::nullopt;
  if (!name) return attempts.back();
  const auto number = base::number_in<int>(*name);
  for (const Attempt& attempt : attempts) {
    if (number && attempt.number == *number) return attempt;
  }
  return std::nullopt;
}

Response being_made() {
  Response response{.status = 202, .body = "{\"status\": \"being made\"}\n"};
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

Response not_to_be_made(const AttemptFolder& folder) {
  const auto log = base::read_file(folder.path / "report.log", kLongestLog);
  return answer(Problem{.status = 409,
                        .code = "no_report",
                        .title = "This attempt has no report",
                        .detail = log.ok() ? std::string(base::trimmed(log.value())) : "",
                        .hint = "it may have ended before a rank was recorded; its log is there"});
}

bool is_texts(const base::Json& json) {
  if (!json.is_object()) return false;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) return false;
  }
  return true;
}

std::string names_of_forgotten(const Job& job) {
  for (const Choice& choice : job.choices) {
    if (choice.name == kEnvironmentChoice) return choice.value;
  }
  return "";
}

}  // namespace

Response page_answer() {
  static const auto page = html::served_page();
  if (!page.ok()) return internal_fault(page.error());
  Response response{.content_type = "text/html; charset=utf-8", .body = page.value().html};
  response.headers = {{"Content-Security-Policy", page.value().policy},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}};
  return response;
}

Response report_answer(JobService& service, const Job& job, const std::optional<std::string>& attempt) {
  const auto attempts = service.store().attempts(job.id);
  if (!attempts.ok()) return internal_fault(attempts.error());
  const auto found = attempt_named(attempts.value(), attempt);
  if (!found) return no_such_attempt();
  const AttemptFolder folder = service.engine().folder_of(job.id, found->number);
  const auto standing = service.reports().ask(folder, is_over(found->state));
  if (!standing.ok()) return internal_fault(standing.error());
  switch (standing.value()) {
    case ReportStanding::kBeingMade:
      return being_made();
    case ReportStanding::kImpossible:
      return not_to_be_made(folder);
    case ReportStanding::kReady:
      break;
  }
  auto html = base::read_file(folder.report(), kLargestReport);
  if (!html.ok()) return internal_fault(html.error());
  Response response{.content_type = "text/html; charset=utf-8", .body = std::move(html).value()};
  response.headers = {
      {"Content-Disposition", fmt::format("attachment; filename=\"{}-{}.html\"", job.id, found->number)},
      {"Content-Security-Policy", "sandbox"},
      {"X-Content-Type-Options", "nosniff"}};
  return response;
}

Response retry_answer(JobService& service, const Job& job, const std::string& owner,
                      const std::string& body) {
  if (!is_over(job.state)) {
    return answer(Problem{
        .status = 409, .code = "job_not_over", .title = "The job is not over", .hint = "cancel it first"});
  }
  std::map<std::string, std::string> environment;
  const std::string forgotten = names_of_forgotten(job);
  if (body.empty() && !forgotten.empty()) {
    return answer(Problem{.status = 409,
                          .code = "environment_forgotten",
                          .title = "The values of the job's variables were forgotten when it ended",
                          .detail = forgotten,
                          .hint = "send {\"environment\": {...}} with those that the new job shall have"});
  }
  if (!body.empty()) {
    const auto json = parse_request(body);
    const bool is_sound = json.ok() && json.value().is_object() && json.value().size() == 1 &&
                          json.value().contains("environment") && is_texts(json.value()["environment"]);
    if (!is_sound) {
      return answer(Problem{.status = 400,
                            .code = "bad_json",
                            .title = "The body is not {\"environment\": {\"NAME\": \"value\"}}"});
    }
    environment = json.value()["environment"].get<std::map<std::string, std::string>>();
  }
  const auto submitted = service.retry(job, owner, environment);
  return submitted.ok() ? answer_to(submitted.value()) : internal_fault(submitted.error());
}

namespace {

using base::Json;

constexpr std::int64_t kArtifactPiece = 64 << 10;

// As many bytes as were promised, even if the job writes on.
class ArtifactSource : public BodySource {
 public:
  ArtifactSource(process::Descriptor file, std::int64_t left) : file_(std::move(file)), left_(left) {}

  Next next(std::string& bytes) override {
    if (left_ == 0) return Next::kEnd;
    bytes.resize(static_cast<std::size_t>(std::min(left_, kArtifactPiece)));
    const ssize_t count = ::read(file_.get(), bytes.data(), bytes.size());
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    left_ -= static_cast<std::int64_t>(bytes.size());
    return bytes.empty() ? Next::kEnd : Next::kData;
  }

 private:
  process::Descriptor file_;
  std::int64_t left_;
};

std::string end_of_file(const std::filesystem::path& path, std::int64_t bytes) {
  const process::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (!file.is_open() || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return "";
  const std::int64_t size = std::min<std::int64_t>(found.st_size, bytes);
  std::string text(static_cast<std::size_t>(size), '\0');
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), found.st_size - size);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

std::string_view word_for(html::LossCount counted) {
  return counted == html::LossCount::kEpoch ? "epoch" : "step";
}

// JSON has no word for NaN and infinity; whoever looks must see them.
Json number_or_word(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

}  // namespace

Json progress_of(const Call& call, const Job& job) {
  constexpr std::int64_t kEndOfLog = 8 << 10;  // some dozens of lines, and cheap to read at every look
  if (job.state != JobState::kRunning || job.service != call.service.store().service()) return nullptr;
  const std::string end =
      end_of_file(call.service.engine().folder_of(job.id, job.attempts).output(), kEndOfLog);
  const auto progress = html::progress_in(end);
  if (!progress) return nullptr;
  return {{"by", word_for(progress->counted)},
          {"number", progress->number ? Json(*progress->number) : Json(nullptr)},
          {"loss", progress->loss ? number_or_word(*progress->loss) : Json(nullptr)}};
}

Response list_artifacts(Call& call) {
  return with_job_here(call, [&](const Job& job) {
    const Artifacts artifacts = artifacts_in(call.service.engine().files_of(job.id), job.spec.files);
    Json list = Json::array();
    for (const Artifact& one : artifacts.found) {
      list.push_back({{"path", one.path}, {"bytes", one.bytes}, {"changed_at", rfc3339(one.changed_ms)}});
    }
    return json_answer(200, {{"artifacts", list}, {"is_cut", artifacts.is_cut}});
  });
}

Response download_artifact(Call& call) {
  return with_job_here(call, [&](const Job& job) {
    const auto path = parameter(call, "path");
    if (!path) return bad_query("path", "is missing");
    auto file = open_artifact(call.service.engine().files_of(job.id), *path);
    struct stat found {};
    if (!file || ::fstat(file->get(), &found) != 0) {
      return answer(Problem{.status = 404,
                            .code = "artifact_not_found",
                            .title = "The job left no such file",
                            .hint = "its artifacts are listed one level above"});
    }
    Response response{.content_type = "application/octet-stream"};
    response.headers.emplace_back("Content-Length", std::to_string(found.st_size));
    response.source = std::make_unique<ArtifactSource>(std::move(*file), found.st_size);
    return response;
  });
}

}  // namespace lockstep::service
