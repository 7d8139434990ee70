#include "cli/run_notice.h"

#include <string_view>

#include <fmt/format.h>

#include "base/escape.h"
#include "cli/text_layout.h"
#include "model/rank.h"

namespace lockstep::cli {
namespace {

std::string who(const model::Finding& finding) {
  if (finding.root_ranks.empty()) return "what was missing";
  return fmt::format("{} {}", finding.root_ranks.size() == 1 ? "rank" : "ranks",
                     model::compress_ranks(finding.root_ranks));
}

std::string_view lead(watch::Kind kind) {
  switch (kind) {
    case watch::Kind::kLate:
      return "waiting: ";
    case watch::Kind::kHung:
      return "hangs: ";
    case watch::Kind::kSlow:
      return "slow: ";
    default:
      return "";
  }
}

}  // namespace

std::string notice_in_words(const watch::Notice& notice, std::chrono::milliseconds after,
                            std::string_view by_host) {
  const std::string by =
      by_host.empty() ? "" : fmt::format("{} says: ", base::escape_for_terminal(std::string(by_host)));
  const double seconds = static_cast<double>(after.count()) / 1000;
  const model::Finding& finding = notice.finding;
  if (notice.kind == watch::Kind::kResolved) {
    return fmt::format("lockstep: {:.1f} s: {}{} came after all\n", seconds, by, who(finding));
  }
  if (notice.kind == watch::Kind::kRestarted) {
    return fmt::format("lockstep: {:.1f} s: the job was restarted and goes on; what was said of {} is over\n",
                       seconds, who(finding));
  }
  std::string text =
      fmt::format("lockstep: {:.1f} s: {}{}{} ({})\n", seconds, by, lead(notice.kind),
                  base::escape_for_terminal(finding.title), base::escape_for_terminal(finding.code));
  constexpr int kIndent = 10;
  text += paragraph(base::escape_for_terminal(finding.explanation), kIndent);
  return text;
}

}  // namespace lockstep::cli
