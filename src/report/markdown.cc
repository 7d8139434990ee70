#include "report/markdown.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/lines.h"
#include "report/markdown_escape.h"
#include "report/phrases.h"

namespace lockstep::report {
namespace {

std::string write_headline(std::size_t number, const model::Finding& finding) {
  const model::LeafEntry& leaf = model::entry_of(finding.leaf);
  std::string out = fmt::format("## {}. {}\n\n", number, markdown_prose(finding.title));
  out += fmt::format("**{}** ({}), {}: {}; {}.\n", leaf.id, leaf.name, markdown_code(describe_code(finding)),
                     describe_confidence(finding.confidence), describe_scope(finding.scope));
  const std::string who = describe_who(finding);
  if (!who.empty()) out += fmt::format("\n**{}.**\n", who);
  return out;
}

std::string write_explanation(const model::Finding& finding) {
  std::string out;
  for (const std::string& line : escaped_lines(finding.explanation)) {
    const std::string prose = markdown_prose(line);
    if (!prose.empty()) out += fmt::format("\n{}\n", prose);
  }
  return out;
}

std::string write_piece(const model::Evidence& evidence) {
  const std::string origin = describe_origin(evidence);
  std::string out = fmt::format("\n- {}{}\n", markdown_code(describe_place(evidence)),
                                origin.empty() ? "" : fmt::format(" ({})", origin));
  const std::vector<std::string> lines = excerpt(evidence.text);
  if (!lines.empty()) out += '\n' + markdown_fence(lines, "text", 2);
  return out;
}

std::string write_evidence(const model::Finding& finding) {
  if (finding.evidence.empty()) return "";
  std::string out = "\n### Evidence\n";
  const std::size_t shown = std::min(finding.evidence.size(), kEvidenceShown);
  for (std::size_t i = 0; i < shown; ++i) out += write_piece(finding.evidence[i]);
  const std::size_t folded = finding.evidence.size() - shown;
  if (folded > 0) out += fmt::format("\n… and {} more.\n", folded);
  return out;
}

std::string write_fix(std::size_t number, const model::Fix& fix) {
  const std::string mark = fmt::format("{}. ", number);
  const std::string indent(mark.size(), ' ');
  std::string out =
      fmt::format("\n{}{} ({})\n", mark, markdown_prose(fix.title), markdown_code(id_of(fix.pattern)));
  for (const std::string& step : fix.steps) out += fmt::format("{}- {}\n", indent, markdown_prose(step));
  for (const std::string& command : fix.commands) {
    out += '\n' + markdown_fence(escaped_lines(command), "sh", mark.size());
  }
  return out;
}

std::string write_fixes(const model::Finding& finding) {
  if (finding.fixes.empty()) return "";
  std::string out = "\n### What to do, in this order\n";
  std::size_t number = 0;
  for (const model::Fix& fix : finding.fixes) out += write_fix(++number, fix);
  return out;
}

std::string write_limits(const model::Verdict& verdict) {
  if (verdict.limits.empty()) return "";
  std::string out = "\n## What this verdict could not see\n\n";
  for (const std::string& limit : verdict.limits) out += fmt::format("- {}\n", markdown_prose(limit));
  return out;
}

std::string write_findings(const model::Verdict& verdict) {
  std::string out = markdown_prose(describe_job(verdict.job));
  if (!out.empty()) out += '\n';
  std::size_t number = 0;
  for (const model::Finding& finding : verdict.findings) {
    if (!out.empty()) out += '\n';
    out += write_headline(++number, finding);
    out += write_explanation(finding);
    out += write_evidence(finding);
    out += write_fixes(finding);
  }
  return out;
}

std::string write_calm_line(const model::JobSummary& summary) {
  const std::string job = markdown_prose(describe_job(summary));
  return job.empty() ? "Nothing wrong found.\n" : fmt::format("Nothing wrong found: {}.\n", job);
}

}  // namespace

std::string render_markdown(const model::Verdict& verdict) {
  std::string out = verdict.findings.empty() ? write_calm_line(verdict.job) : write_findings(verdict);
  return out + write_limits(verdict);
}

}  // namespace lockstep::report
