// The catalogue and its judge by themselves, behind the command line that the corpus scorer expects:
//     judge_lines diagnose --json FILE...     one verdict over all files
//     judge_lines each FILE...                one verdict for each file, one JSON document a line, with the
//                                             grounds of its confidence
//     judge_lines entries                     the embedded catalogue as it was packed
// LOCKSTEP_CATALOGUE names a folder to use instead of the embedded catalogue, LOCKSTEP_GUESS and
// LOCKSTEP_CONFIDENCE files to use instead of the embedded models.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "catalogue/embedded.h"
#include "diagnose/logs/judge.h"
#include "report/findings_json.h"

namespace {

using lockstep::Error;
using lockstep::Result;
using lockstep::catalogue::Catalogue;
using lockstep::logs::LogText;
using lockstep::logs::LogVerdict;

constexpr std::size_t kLargestLog = std::size_t{1} << 30;

// The embedded models, or those in the files that the environment names.
struct Models {
  std::string guess;
  std::string confidence;
};

Result<std::string> model_in(const char* variable, std::string_view embedded) {
  const char* path = std::getenv(variable);
  if (path == nullptr) return std::string(embedded);
  return lockstep::base::read_file(path, kLargestLog);
}

Result<Models> load_models() {
  const auto embedded = lockstep::logs::embedded_judge_data();
  Models models;
  models.guess = TRY(model_in("LOCKSTEP_GUESS", embedded.guess));
  models.confidence = TRY(model_in("LOCKSTEP_CONFIDENCE", embedded.confidence));
  return models;
}

Result<LogVerdict> judge_files(const Catalogue& catalogue, const Models& models,
                               const std::vector<std::string>& paths) {
  std::vector<std::string> texts;
  for (const std::string& path : paths) texts.push_back(TRY(lockstep::base::read_file(path, kLargestLog)));
  std::vector<LogText> logs;
  for (std::size_t i = 0; i < paths.size(); ++i) logs.push_back({paths[i], texts[i], std::nullopt});
  return lockstep::logs::judge(catalogue, logs, {models.guess, models.confidence});
}

std::string findings_in(const LogVerdict& verdict) {
  return lockstep::report::encode_findings({verdict.job, verdict.findings, verdict.limits});
}

Result<int> run(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "entries") {
    fmt::print("{}", lockstep::catalogue::embedded_entries());
    return 0;
  }
  const Models models = TRY(load_models());
  const char* folder = std::getenv("LOCKSTEP_CATALOGUE");
  const Catalogue catalogue = TRY(folder == nullptr ? Catalogue::load() : Catalogue::from_folder(folder));
  if (words.size() >= 3 && words[0] == "diagnose" && words[1] == "--json") {
    const LogVerdict verdict = TRY(judge_files(catalogue, models, {words.begin() + 2, words.end()}));
    fmt::print("{}", findings_in(verdict));
    return verdict.findings.empty() ? 0 : 1;
  }
  if (words.size() >= 2 && words[0] == "each") {
    for (auto path = words.begin() + 1; path != words.end(); ++path) {
      const LogVerdict verdict = TRY(judge_files(catalogue, models, {*path}));
      auto json = TRY(lockstep::base::parse_json(findings_in(verdict), *path));
      json["grounds"] = verdict.grounds;
      fmt::print("{}\n", lockstep::base::to_text(json, lockstep::base::JsonLayout::kOneLine));
    }
    return 0;
  }
  return Error{"cannot start", "command line",
               "usage: judge_lines entries | (diagnose --json | each) FILE...", ""};
}

}  // namespace

int main(int argc, char** argv) {
  const Result<int> done = run({argv + 1, argv + argc});
  if (done.ok()) return done.value();
  fmt::print(stderr, "{}: {}: {}\n", done.error().what, done.error().where, done.error().why);
  return 2;
}
