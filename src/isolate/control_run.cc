#include "isolate/control_run.h"

#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process/run.h"
#include "diagnose/diagnose.h"
#include "model/finding_code.h"
#include "report/findings_json.h"

namespace lockstep::isolate {

namespace {

namespace fs = std::filesystem;
using base::Json;

Json encode_words(const Words& words) {
  Json json = Json::array();
  for (const std::string& word : words) json.push_back(base::to_valid_utf8(word));
  return json;
}

Json encode_environment(const std::vector<Change>& changes) {
  Json set = Json::object();
  Json unset = Json::array();
  for (const Change& change : changes) {
    if (change.value) {
      set[base::to_valid_utf8(change.name)] = base::to_valid_utf8(*change.value);
    } else {
      unset.push_back(base::to_valid_utf8(change.name));
    }
  }
  return {{"set", set}, {"unset", unset}};
}

// Keeps what a control run prints in its folder.
class ControlLog {
 public:
  static Result<ControlLog> in_folder(const fs::path& folder);

  void keep(process::Stream stream, std::string_view bytes) { files_.keep(stream, bytes); }
  // What follows is the job's answer to being ended: kept, but no evidence.
  void begin_ending() { files_.go_on_in("after_the_end_was_asked"); }
  void discard();  // nothing ran: take the folder away again

  const fs::path& folder() const { return folder_; }
  fs::path errors() const { return folder_ / "rank_0.err"; }
  std::vector<fs::path> evidence() const { return {folder_ / "rank_0.out", errors()}; }
  bool is_whole() const { return files_.is_whole(); }

 private:
  ControlLog(fs::path folder, process::OutputFiles files)
      : folder_(std::move(folder)), files_(std::move(files)) {}

  fs::path folder_;
  process::OutputFiles files_;
};

Result<ControlLog> ControlLog::in_folder(const fs::path& folder) {
  constexpr const char* kHint = "choose another place with -o DIR";
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return Error{"cannot make the folder", folder.string(), fault.message(), kHint};
  if (!fs::is_empty(folder, fault) || fault)
    return Error{"cannot use the folder", folder.string(), fault ? fault.message() : "it is not empty",
                 kHint};
  process::OutputFiles files = TRY(process::OutputFiles::open(folder, "rank_0"));
  return ControlLog(folder, std::move(files));
}

void ControlLog::discard() {
  std::error_code ignored;
  for (const fs::path& file : evidence()) fs::remove(file, ignored);
  fs::remove(folder_, ignored);
}

process::Command command_from(const Control& control, Environment environment) {
  for (const Change& change : control.changes) {
    if (change.value) {
      environment[change.name] = *change.value;
    } else {
      environment.erase(change.name);
    }
  }
  process::Command command{control.command, {}};
  for (const auto& [name, value] : environment) command.environment.push_back(name + "=" + value);
  return command;
}

Result<process::RunEnd> run_to_its_end(const process::Command& command, const ControlRequest& request,
                                       ControlLog& log) {
  process::RunOptions options;
  options.timeout = request.timeout;
  options.on_asking_to_end = [&] { log.begin_ending(); };
  options.on_output = [&](process::Stream stream, std::string_view bytes) {
    log.keep(stream, bytes);
    if (request.on_output) request.on_output(bytes);
  };
  auto end = process::run(command, options);
  if (!end.ok()) log.discard();
  return end;
}

double in_seconds(std::chrono::milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

std::string end_in_words(const process::RunEnd& end) {
  if (end.timed_out) {
    return fmt::format("was still running after {:.0f} s, the last {:.0f} s without output",
                       in_seconds(end.ran), in_seconds(end.quiet));
  }
  const std::string how = end.ended_by_signal ? fmt::format("was ended by signal {}", *end.ended_by_signal)
                                              : fmt::format("ended with status {}", end.exit_status);
  return fmt::format("{} after {:.1f} s", how, in_seconds(end.ran));
}

ControlRun judge_control(const process::RunEnd& end, const ControlLog& log) {
  ControlRun run;
  run.status = end.status();
  run.timed_out = end.timed_out;
  run.was_interrupted = end.interrupted_by.has_value();
  run.end_in_words = end_in_words(end);
  run.log = log.errors().string();
  auto verdict = diagnose::diagnose(log.evidence());
  if (verdict.ok()) run.verdict = std::move(verdict).value();  // a job that printed nothing leaves nothing
  // What only resembles a fault is none where the command ended well.
  if (run.status == 0 && !run.timed_out) {
    std::erase_if(run.verdict.findings, [](const model::Finding& finding) {
      return finding.code.is(model::CodeFamily::kLeaf) || finding.code.is(model::CodeFamily::kGuess);
    });
  }
  return run;
}

int status_of(const process::RunEnd& end) {
  if (end.interrupted_by) return 128 + *end.interrupted_by;
  return end.timed_out ? kTimedOut : end.status();
}

}  // namespace

Result<ControlResult> run_control(const Control& control, const Environment& before,
                                  const ControlRequest& request) {
  ControlLog log = TRY(ControlLog::in_folder(request.folder));
  if (request.before_start) request.before_start();
  const process::RunEnd end = TRY(run_to_its_end(command_from(control, before), request, log));
  ControlResult result{.comparison = compare(judge_control(end, log), request.job),
                       .status = status_of(end),
                       .seconds = in_seconds(end.ran),
                       .timed_out = end.timed_out,
                       .folder = log.folder().string()};
  std::vector<std::string>& limits = result.comparison.verdict.limits;
  if (!log.is_whole())
    limits.push_back("the control run's output could not be kept whole: is the disk full?");
  if (end.left_processes) limits.push_back("processes that outlived the control run's command were ended");
  TRY(base::write_file(log.folder() / "findings.json", encode_control(control, result)));
  return result;
}

std::string encode_control(const Control& control, const std::optional<ControlResult>& result) {
  Json document = report::findings_as_json(result ? result->comparison.verdict : model::Verdict{});
  Json json = Json::object();
  json["launcher"] = base::to_valid_utf8(control.launcher);
  json["command"] = encode_words(control.command);
  json["environment"] = encode_environment(control.changes);
  json["left_out"] = encode_words(control.left_out);
  json["notes"] = encode_words(control.notes);
  if (result) {
    json["outcome"] = id_of(result->comparison.outcome);
    json["statement"] = base::to_valid_utf8(result->comparison.statement);
    json["status"] = result->status;
    json["seconds"] = result->seconds;
    json["timed_out"] = result->timed_out;
    json["folder"] = base::to_valid_utf8(result->folder);
  }
  document["control"] = std::move(json);
  return report::to_printable_text(document);
}

fs::path new_folder_name() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("lockstep-isolate-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
}

}  // namespace lockstep::isolate
