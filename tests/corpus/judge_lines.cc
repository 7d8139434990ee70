// The catalogue and its judge by themselves, behind the command line that the corpus scorer expects:
//     judge_lines diagnose --json FILE...     one verdict over all files
//     judge_lines each FILE...                one verdict for each file, one JSON document a line, with
//                                             the probability that anything failed
//     judge_lines features FILE...            what each file shows, as the arbiter is told it: one JSON
//     document a line judge_lines entries                     the embedded catalogue as it was packed
// LOCKSTEP_CATALOGUE names a folder to use instead of the embedded catalogue, LOCKSTEP_ARBITER
// a file to use instead of the embedded model.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "catalogue/embedded.h"
#include "diagnose/logs/judge.h"
#include "readers/rank_in_name.h"
#include "report/findings_json.h"

namespace {

using lockstep::Error;
using lockstep::Result;
using lockstep::catalogue::Catalogue;
using lockstep::logs::LogText;
using lockstep::logs::LogVerdict;

constexpr std::size_t kLargestLog = std::size_t{1} << 30;

// The embedded model, or the one in the file that the environment names.
Result<std::string> load_arbiter() {
  const char* path = std::getenv("LOCKSTEP_ARBITER");
  if (path == nullptr) return std::string(lockstep::logs::embedded_arbiter());
  return lockstep::base::read_file(path, kLargestLog);
}

// The files below a folder, as one job; a file by itself.
std::vector<std::string> files_of(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

Result<LogVerdict> judge_files(const Catalogue& catalogue, const std::string& arbiter,
                               const std::vector<std::string>& paths) {
  std::vector<std::string> texts;
  for (const std::string& path : paths) texts.push_back(TRY(lockstep::base::read_file(path, kLargestLog)));
  std::vector<LogText> logs;
  for (std::size_t i = 0; i < paths.size(); ++i)
    logs.push_back({paths[i], texts[i],
                    paths.size() > 1 ? lockstep::readers::rank_in_name(paths[i]).rank : std::nullopt});
  return lockstep::logs::judge(catalogue, logs, arbiter);
}

std::string findings_in(const LogVerdict& verdict) {
  return lockstep::report::encode_findings({verdict.job, verdict.findings, verdict.limits});
}

Result<int> run(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "entries") {
    fmt::print("{}", lockstep::catalogue::embedded_entries());
    return 0;
  }
  const std::string arbiter = TRY(load_arbiter());
  const char* folder = std::getenv("LOCKSTEP_CATALOGUE");
  const Catalogue catalogue = TRY(folder == nullptr ? Catalogue::load() : Catalogue::from_folder(folder));
  if (words.size() >= 3 && words[0] == "diagnose" && words[1] == "--json") {
    const LogVerdict verdict = TRY(judge_files(catalogue, arbiter, {words.begin() + 2, words.end()}));
    fmt::print("{}", findings_in(verdict));
    return verdict.findings.empty() ? 0 : 1;
  }
  if (words.size() >= 2 && words[0] == "each") {
    for (auto path = words.begin() + 1; path != words.end(); ++path) {
      const LogVerdict verdict = TRY(judge_files(catalogue, arbiter, files_of(*path)));
      auto json = TRY(lockstep::base::parse_json(findings_in(verdict), *path));
      json["failed"] = verdict.opinion.failed;
      fmt::print("{}\n", lockstep::base::to_text(json, lockstep::base::JsonLayout::kOneLine));
    }
    return 0;
  }
  if (words.size() >= 2 && words[0] == "features") {
    for (auto path = words.begin() + 1; path != words.end(); ++path) {
      const LogVerdict verdict = TRY(judge_files(catalogue, arbiter, files_of(*path)));
      lockstep::base::Json json = verdict.features;
      fmt::print("{}\n", lockstep::base::to_text(json, lockstep::base::JsonLayout::kOneLine));
    }
    return 0;
  }
  return Error{"cannot start", "command line",
               "usage: judge_lines entries | (diagnose --json | each | features) FILE...", ""};
}

}  // namespace

int main(int argc, char** argv) {
  const Result<int> done = run({argv + 1, argv + argc});
  if (done.ok()) return done.value();
  fmt::print(stderr, "{}: {}: {}\n", done.error().what, done.error().where, done.error().why);
  return 2;
}
