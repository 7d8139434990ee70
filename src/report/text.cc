#include "report/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "report/lines.h"
#include "report/page.h"
#include "report/phrases.h"

namespace lockstep::report {
namespace {

// Columns at which the parts of a finding begin.
constexpr int kBody = 3;
constexpr int kItem = 5;
constexpr int kDetail = 8;

void write_lines(Page& page, const Margin& margin, std::string_view text) {
  for (const std::string& line : escaped_lines(text)) page.paragraph(margin, line);
}

void write_headline(Page& page, std::size_t number, const model::Finding& finding) {
  const model::LeafEntry& leaf = model::entry_of(finding.leaf);
  page.paragraph(bullet(0, fmt::format("{}.", number)), base::escape_for_terminal(finding.title),
                 Ink::kAlarm);
  page.paragraph(indent_by(kBody), fmt::format("{} ({}), {}", leaf.id, leaf.name, describe_code(finding)),
                 Ink::kBold);
  page.paragraph(indent_by(kBody), fmt::format("{}; {}", describe_confidence(finding.confidence),
                                               describe_scope(finding.scope)));
  const std::string who = describe_who(finding);
  if (!who.empty()) page.paragraph(indent_by(kBody), who);
}

void write_explanation(Page& page, const model::Finding& finding) {
  if (finding.explanation.empty()) return;
  page.blank();
  write_lines(page, indent_by(kBody), finding.explanation);
}

void write_piece(Page& page, const model::Evidence& evidence) {
  const std::string origin = describe_origin(evidence);
  const std::string place = describe_place(evidence);
  page.paragraph(indent_by(kItem), origin.empty() ? place : fmt::format("{}  ({})", place, origin),
                 Ink::kBold);
  const std::string blanks(kItem, ' ');
  for (const std::string& line : excerpt(evidence.text)) {
    page.paragraph({blanks + "| ", blanks + "|   "}, line);
  }
}

void write_evidence(Page& page, const model::Finding& finding) {
  if (finding.evidence.empty()) return;
  page.blank();
  page.paragraph(indent_by(kBody), "Evidence", Ink::kBold);
  const std::size_t shown = std::min(finding.evidence.size(), kEvidenceShown);
  for (std::size_t i = 0; i < shown; ++i) write_piece(page, finding.evidence[i]);
  const std::size_t folded = finding.evidence.size() - shown;
  if (folded > 0) {
    page.paragraph(indent_by(kItem), fmt::format("… and {} more, all of them in --json", folded), Ink::kDim);
  }
}

void write_fix(Page& page, std::size_t number, const model::Fix& fix) {
  page.paragraph(bullet(kItem, fmt::format("{}.", number)),
                 fmt::format("{} ({})", base::escape_for_terminal(fix.title), model::id_of(fix.pattern)));
  for (const std::string& step : fix.steps) {
    page.paragraph(bullet(kDetail, "-"), base::escape_for_terminal(step));
  }
  if (!fix.commands.empty()) page.blank();
  for (const std::string& command : fix.commands) {
    for (const std::string& line : escaped_lines(command)) page.unbroken(indent_by(kDetail + 2), line);
  }
}

void write_fixes(Page& page, const model::Finding& finding) {
  if (finding.fixes.empty()) return;
  page.blank();
  page.paragraph(indent_by(kBody), "What to do, in this order", Ink::kBold);
  std::size_t number = 0;
  for (const model::Fix& fix : finding.fixes) write_fix(page, ++number, fix);
}

void write_limits(Page& page, const model::Verdict& verdict) {
  if (verdict.limits.empty()) return;
  page.blank();
  page.paragraph(indent_by(0), "What this verdict could not see", Ink::kBold);
  for (const std::string& limit : verdict.limits) {
    page.paragraph(bullet(2, "-"), base::escape_for_terminal(limit));
  }
}

void write_calm_line(Page& page, const model::JobSummary& summary) {
  const std::string job = describe_job(summary);
  page.paragraph(indent_by(0),
                 job.empty() ? "Nothing wrong found." : fmt::format("Nothing wrong found ({}).", job));
}

void write_job(Page& page, const model::JobSummary& summary) {
  const std::string job = describe_job(summary);
  if (job.empty()) return;
  page.paragraph(indent_by(0), job, Ink::kDim);
  page.blank();
}

void write_findings(Page& page, const model::Verdict& verdict) {
  write_job(page, verdict.job);
  std::size_t number = 0;
  for (const model::Finding& finding : verdict.findings) {
    if (number > 0) page.blank();
    write_headline(page, ++number, finding);
    write_explanation(page, finding);
    write_evidence(page, finding);
    write_fixes(page, finding);
  }
}

}  // namespace

std::string render_text(const model::Verdict& verdict, const TextStyle& style) {
  Page page(style);
  if (verdict.findings.empty()) {
    write_calm_line(page, verdict.job);
  } else {
    write_findings(page, verdict);
  }
  write_limits(page, verdict);
  return std::move(page).take();
}

}  // namespace lockstep::report
