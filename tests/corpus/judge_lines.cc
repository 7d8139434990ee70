// The catalogue and its judge by themselves, behind the command line that the corpus scorer expects:
//     judge_lines diagnose --json FILE...     one verdict over all files
//     judge_lines each FILE...                one verdict for each file, one JSON document a line
// LOCKSTEP_CATALOGUE names a folder to use instead of the embedded catalogue.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "report/findings_json.h"
#include "symptoms/judge.h"

namespace {

using lockstep::Error;
using lockstep::Result;
using lockstep::symptoms::Catalogue;
using lockstep::symptoms::LogText;

constexpr std::size_t kLargestLog = std::size_t{1} << 30;

Result<lockstep::model::Verdict> judge_files(const Catalogue& catalogue,
                                             const std::vector<std::string>& paths) {
  std::vector<std::string> texts;
  for (const std::string& path : paths) texts.push_back(TRY(lockstep::base::read_file(path, kLargestLog)));
  std::vector<LogText> logs;
  for (std::size_t i = 0; i < paths.size(); ++i) logs.push_back({paths[i], texts[i], std::nullopt});
  auto answer = lockstep::symptoms::judge(catalogue, logs);
  return lockstep::model::Verdict{std::move(answer.job), std::move(answer.findings),
                                  std::move(answer.limits)};
}

Result<int> run(const std::vector<std::string>& words) {
  const char* folder = std::getenv("LOCKSTEP_CATALOGUE");
  const Catalogue catalogue = TRY(folder == nullptr ? Catalogue::load() : Catalogue::from_folder(folder));
  if (words.size() >= 3 && words[0] == "diagnose" && words[1] == "--json") {
    const auto verdict = TRY(judge_files(catalogue, {words.begin() + 2, words.end()}));
    fmt::print("{}", lockstep::report::encode_findings(verdict));
    return verdict.findings.empty() ? 0 : 1;
  }
  if (words.size() >= 2 && words[0] == "each") {
    for (auto path = words.begin() + 1; path != words.end(); ++path) {
      const auto verdict = TRY(judge_files(catalogue, {*path}));
      const auto json = TRY(lockstep::base::parse_json(lockstep::report::encode_findings(verdict), *path));
      fmt::print("{}\n", lockstep::base::to_text(json, lockstep::base::JsonLayout::kOneLine));
    }
    return 0;
  }
  return Error{"cannot start", "command line", "usage: judge_lines (diagnose --json | each) FILE...", ""};
}

}  // namespace

int main(int argc, char** argv) {
  const Result<int> done = run({argv + 1, argv + argc});
  if (done.ok()) return done.value();
  fmt::print(stderr, "{}: {}: {}\n", done.error().what, done.error().where, done.error().why);
  return 2;
}
