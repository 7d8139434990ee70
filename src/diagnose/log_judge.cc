#include "diagnose/log_judge.h"

#include <utility>

namespace lockstep::diagnose {
namespace {

// Of a smaller log nobody asks how far it is read.
constexpr std::size_t kLargeLog = std::size_t{64} << 20;

}  // namespace

const Result<catalogue::Catalogue>& LogJudge::catalogue() {
  std::call_once(once_, [this] { catalogue_.emplace(catalogue::Catalogue::load()); });
  return *catalogue_;
}

void LogJudge::look_along(readers::ReadOptions& options) {
  options.telling_lines = [this](std::string_view text) { return telling_lines(text); };
  options.first_look = [this](const std::string& name, std::string_view text, bool is_mapped_file,
                              std::size_t files) { return first_look(name, text, is_mapped_file, files); };
}

std::vector<readers::TellingLine> LogJudge::telling_lines(std::string_view text) {
  std::vector<readers::TellingLine> lines;
  if (!catalogue().ok()) return lines;
  for (const logs::Hit& hit : logs::hits_in(catalogue().value(), text))
    lines.push_back({hit.pattern, hit.line.begin, hit.line.end});
  return lines;
}

std::optional<readers::LogMarks> LogJudge::first_look(const std::string& name, std::string_view text,
                                                      bool is_mapped_file, std::size_t files) {
  if (!catalogue().ok() || catalogue().value().prefilter() == nullptr) return std::nullopt;
  const logs::LogText log{.name = name, .bytes = text, .rank = {}, .is_mapped_file = is_mapped_file};
  logs::Scan scan = logs::look_through(catalogue().value(), log, files,
                                       text.size() >= kLargeLog ? on_scanned_ : logs::OnScanned());
  readers::LogMarks marks = scan.marks;
  const std::lock_guard lock(mutex_);
  seen_.insert_or_assign(name, std::move(scan));
  return marks;
}

Result<logs::LogVerdict> LogJudge::judge(const std::vector<readers::LogFile>& logs) {
  if (logs.empty()) return logs::LogVerdict{};
  if (!catalogue().ok()) return catalogue().error();
  std::vector<logs::LogText> texts;
  std::vector<std::optional<logs::Scan>> seen;
  for (const readers::LogFile& log : logs) {
    texts.push_back({.name = log.name,
                     .bytes = log.bytes.view(),
                     .rank = log.rank,
                     .is_mapped_file = log.bytes.is_mapped_file(),
                     .line_marks = log.lines});
    const auto known = seen_.find(log.name);
    seen.push_back(known == seen_.end() ? std::nullopt : std::optional(std::move(known->second)));
  }
  return logs::judge(catalogue().value(), texts, logs::embedded_arbiter(), on_scanned_, std::move(seen));
}

}  // namespace lockstep::diagnose
