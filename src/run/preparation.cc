#include "run/preparation.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/lines.h"
#include "base/process/environment.h"
#include "base/process/run.h"
#include "base/text_fields.h"
#include "launchers/launcher.h"
#include "launchers/rank_variables.h"

namespace lockstep::run {
namespace {

namespace fs = std::filesystem;

// The compiler's own limit is 600 s (native_build.py), importing the framework comes before.
constexpr std::chrono::seconds kPreparationTime{660};
constexpr std::size_t kHeadBytes = 512;  // of a program: the line that names its interpreter

// "#!/usr/bin/env python3", "#!/venv/bin/python -u"; pip writes paths that are too long for it on the second
// line, for sh: '''exec' "/long/path/python" "$0" "$@"
std::string interpreter_in(std::string_view head) {
  if (!head.starts_with("#!")) return "";
  base::Lines lines(head.substr(2));
  std::string_view first = base::trimmed(lines.next().value_or(""));
  const std::string_view program = base::word_of(first, ' ');
  const std::string name = launchers::program_name(std::string(program));
  if (name == "env") {
    first.remove_prefix(program.size());
    return std::string(base::word_of(base::trimmed(first), ' '));
  }
  if (name != "sh") return std::string(program);
  constexpr std::string_view kExec = "'''exec' ";
  const std::string_view second = lines.next().value_or("");
  if (!second.starts_with(kExec)) return "";
  const std::string_view path = second.substr(kExec.size());
  const bool is_quoted = path.starts_with('"');
  return std::string(base::word_of(path.substr(is_quoted ? 1 : 0), is_quoted ? '"' : ' '));
}

// Empty when `word` is neither a Python nor a program written for one.
std::string interpreter_behind(const std::string& word, const std::vector<std::string>& environment) {
  const std::string place = process::program_for(word, environment);
  if (!process::is_program(place)) return "";
  if (launchers::is_python(launchers::program_name(word))) return place;
  std::string head(kHeadBytes, '\0');
  std::ifstream file(place, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  const std::string interpreter =
      interpreter_in(std::string_view(head).substr(0, static_cast<std::size_t>(file.gcount())));
  if (!launchers::is_python(launchers::program_name(interpreter))) return "";
  return process::program_for(interpreter, environment);
}

class Report {
 public:
  Report(Preparation& preparation, const std::function<void(std::string_view)>& tell)
      : preparation_(preparation), tell_(tell) {}

  void take(std::string_view bytes) {
    pending_ += bytes;
    for (std::size_t end = 0; (end = pending_.find('\n')) != std::string::npos; pending_.erase(0, end + 1))
      take_line(std::string_view(pending_).substr(0, end));
  }

 private:
  void take_line(std::string_view line) {
    std::array<std::string, 4> fields;
    for (std::string& field : fields) {
      const std::string_view word = base::word_of(line, '\t');
      field = base::escape_for_terminal(word);
      line.remove_prefix(std::min(line.size(), word.size() + 1));
    }
    const auto& [what, framework, version, why] =
        fields;  // for "used", `why` is where its native half is from
    const std::string title =
        version.empty() ? framework : fmt::format("{} {}", framework, base::word_of(version, '+'));
    if (what == "building") {
      tell_(fmt::format("lockstep: building the recorder for {} (once, about 20 s) ...\n", title));
    } else if (what == "none") {
      preparation_.adapters.push_back(fmt::format("{}, Python-only recorder", title));
      preparation_.lost.push_back(
          fmt::format("{} will not be recorded, so verdicts will be weaker: {}",
                      framework == "PyTorch" ? "collectives that PyTorch issues in C++ (DDP's all-reduces)"
                                             : "TensorFlow's collectives",
                      why));
    } else if (!title.empty()) {
      preparation_.adapters.push_back(why.empty() ? title : fmt::format("{}, {}", title, why));
    }
  }

  Preparation& preparation_;
  const std::function<void(std::string_view)>& tell_;
  std::string pending_;
};

std::string value_of(std::string_view name, const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return "";
}

}  // namespace

bool is_one_of_several(const std::vector<std::string>& environment) {
  return std::ranges::any_of(launchers::kAllRankVariables, [&](const launchers::RankVariables* variables) {
    if (variables->local_rank.empty()) return false;
    const auto rank = base::number_in<int>(value_of(variables->local_rank, environment));
    return rank.value_or(0) > 0;
  });
}

std::string interpreter_of(const process::Command& job) {
  for (const std::string& word : job.argv) {
    if (launchers::runs_elsewhere(launchers::program_name(word))) return "";
    std::string interpreter = interpreter_behind(word, job.environment);
    if (!interpreter.empty()) return interpreter;
    if (word.ends_with(".py")) return "";
  }
  return "";
}

Preparation prepare(const process::Command& job, const fs::path& python,
                    const std::function<void(std::string_view)>& tell) {
  Preparation preparation;
  const std::string interpreter = interpreter_of(job);
  if (interpreter.empty()) {
    const auto launcher = launchers::find_launcher(job.argv);
    if (launcher && launcher->launcher == &launchers::kMpirun) preparation.adapters.emplace_back("MPI");
    return preparation;
  }
  process::Command command{.argv = {interpreter, (python / "lockstep_python/prepare.py").string()},
                           .environment = job.environment};
  command.argv.insert(command.argv.end(), job.argv.begin(), job.argv.end());
  std::string path = fmt::format("PYTHONPATH={}", python.string());
  const std::string more = value_of("PYTHONPATH", command.environment);
  if (!more.empty()) path += ":" + more;
  std::erase_if(command.environment, [](const std::string& entry) {
    return entry.starts_with("PYTHONPATH=") || entry.starts_with("LOCKSTEP_RECORD=");
  });
  command.environment.push_back(std::move(path));
  command.environment.emplace_back("PYTHONDONTWRITEBYTECODE=1");

  Report report(preparation, tell);
  process::RunOptions options;
  options.timeout = kPreparationTime;
  options.linger = std::chrono::milliseconds{0};
  options.on_output = [&](process::Stream stream, std::string_view bytes) {
    if (stream == process::Stream::kOut) report.take(bytes);
  };
  if (const auto ended = process::run(command, options); ended.ok())
    preparation.interrupted_by = ended.value().interrupted_by;
  return preparation;
}

}  // namespace lockstep::run
