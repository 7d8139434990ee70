#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/escape.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/phrases.h"

namespace lockstep::report {

namespace {

enum class Ink { kPlain, kBold, kDim, kAlarm };

// What precedes the first row of a paragraph, and the others.
struct Margin {
  std::string first;
  std::string others;
};

// Text being laid out: indented, wrapped, coloured if wanted. Takes escaped text only.
class TextLayout {
 public:
  explicit TextLayout(const TextStyle& style);

  void paragraph(const Margin& margin, std::string_view line, Ink ink = Ink::kPlain);
  void unbroken(const Margin& margin, std::string_view line);  // one row, however long
  void blank();

  std::string take() && { return std::move(out_); }

 private:
  void row(std::string_view margin, std::string_view text, Ink ink);

  TextStyle style_;
  std::string out_;
};

constexpr int kMinWidth = 40;  // columns; in fewer every word would be broken

std::string_view sequence_of(Ink ink) {
  switch (ink) {
    case Ink::kBold:
      return "\x1b[1m";
    case Ink::kDim:
      return "\x1b[2m";
    case Ink::kAlarm:
      return "\x1b[1;31m";
    case Ink::kPlain:
      break;
  }
  return "";
}

Margin indent_by(int columns) {
  const std::string blanks(static_cast<std::size_t>(columns), ' ');
  return {blanks, blanks};
}

// The text hangs beside the mark.
Margin bullet(int columns, std::string_view mark) {
  const std::string blanks(static_cast<std::size_t>(columns), ' ');
  return {fmt::format("{}{} ", blanks, mark),
          blanks + std::string(static_cast<std::size_t>(display_width(mark) + 1), ' ')};
}

TextLayout::TextLayout(const TextStyle& style) : style_(style) {
  style_.width = std::max(style_.width, kMinWidth);
}

void TextLayout::paragraph(const Margin& margin, std::string_view line, Ink ink) {
  const int width = style_.width - std::max(display_width(margin.first), display_width(margin.others));
  bool is_first = true;
  for (const std::string& text : wrap(line, width)) {
    row(is_first ? margin.first : margin.others, text, ink);
    is_first = false;
  }
}

void TextLayout::unbroken(const Margin& margin, std::string_view line) {
  row(margin.first, line, Ink::kPlain);
}

void TextLayout::blank() {
  out_ += '\n';
}

void TextLayout::row(std::string_view margin, std::string_view text, Ink ink) {
  const std::size_t start = out_.size();
  out_ += margin;
  if (style_.colour && ink != Ink::kPlain && !text.empty()) {
    out_ += fmt::format("{}{}\x1b[0m", sequence_of(ink), text);
  } else {
    out_ += text;
  }
  while (out_.size() > start && out_.back() == ' ') out_.pop_back();
  out_ += '\n';
}

// Columns at which the parts of a finding begin.
constexpr int kBody = 3;
constexpr int kItem = 5;
constexpr int kDetail = 8;

void write_lines(TextLayout& layout, const Margin& margin, std::string_view text) {
  for (const std::string& line : escaped_lines(text)) layout.paragraph(margin, line);
}

void write_headline(TextLayout& layout, std::size_t number, const model::Finding& finding) {
  const model::LeafEntry& leaf = model::entry_of(finding.leaf);
  layout.paragraph(bullet(0, fmt::format("{}.", number)), base::escape_for_terminal(finding.title),
                   Ink::kAlarm);
  layout.paragraph(indent_by(kBody), fmt::format("{} ({}), {}", leaf.id, leaf.name, describe_code(finding)),
                   Ink::kBold);
  layout.paragraph(indent_by(kBody), fmt::format("{}; {}", describe_confidence(finding.confidence),
                                                 describe_scope(finding.scope)));
  const std::string who = describe_who(finding);
  if (!who.empty()) layout.paragraph(indent_by(kBody), who);
}

void write_explanation(TextLayout& layout, const model::Finding& finding) {
  if (finding.explanation.empty()) return;
  layout.blank();
  write_lines(layout, indent_by(kBody), finding.explanation);
}

void write_piece(TextLayout& layout, const model::Evidence& evidence) {
  const std::string origin = describe_origin(evidence);
  const std::string place = describe_place(evidence);
  layout.paragraph(indent_by(kItem), origin.empty() ? place : fmt::format("{}  ({})", place, origin),
                   Ink::kBold);
  const std::string blanks(kItem, ' ');
  for (const std::string& line : excerpt(evidence.text)) {
    layout.paragraph({blanks + "| ", blanks + "|   "}, line);
  }
}

void write_evidence(TextLayout& layout, const model::Finding& finding) {
  if (finding.evidence.empty()) return;
  layout.blank();
  layout.paragraph(indent_by(kBody), "Evidence", Ink::kBold);
  const std::size_t shown = std::min(finding.evidence.size(), kEvidenceShown);
  for (std::size_t i = 0; i < shown; ++i) write_piece(layout, finding.evidence[i]);
  const std::size_t folded = finding.evidence.size() - shown;
  if (folded > 0) {
    layout.paragraph(indent_by(kItem), fmt::format("… and {} more, all of them in --json", folded),
                     Ink::kDim);
  }
}

void write_fix(TextLayout& layout, std::size_t number, const model::Fix& fix) {
  layout.paragraph(bullet(kItem, fmt::format("{}.", number)),
                   fmt::format("{} ({})", base::escape_for_terminal(fix.title), model::id_of(fix.pattern)));
  for (const std::string& step : fix.steps) {
    layout.paragraph(bullet(kDetail, "-"), base::escape_for_terminal(step));
  }
  if (!fix.commands.empty()) layout.blank();
  for (const std::string& command : fix.commands) {
    for (const std::string& line : escaped_lines(command)) layout.unbroken(indent_by(kDetail + 2), line);
  }
}

void write_fixes(TextLayout& layout, const model::Finding& finding) {
  if (finding.fixes.empty()) return;
  layout.blank();
  layout.paragraph(indent_by(kBody), "What to do, in this order", Ink::kBold);
  std::size_t number = 0;
  for (const model::Fix& fix : finding.fixes) write_fix(layout, ++number, fix);
}

void write_limits(TextLayout& layout, const model::Verdict& verdict) {
  if (verdict.limits.empty()) return;
  layout.blank();
  layout.paragraph(indent_by(0), "What this verdict could not see", Ink::kBold);
  for (const std::string& limit : verdict.limits) {
    layout.paragraph(bullet(2, "-"), base::escape_for_terminal(limit));
  }
}

void write_decisions(TextLayout& layout, const model::Verdict& verdict) {
  if (!verdict.decisions) return;
  layout.blank();
  layout.paragraph(indent_by(0), "Why this verdict", Ink::kBold);
  if (verdict.decisions->empty()) layout.paragraph(bullet(2, "-"), kNothingToDecide);
  for (const model::Decision& decision : *verdict.decisions)
    layout.paragraph(bullet(2, "-"), describe_decision(decision));
}

void write_calm_line(TextLayout& layout, const model::JobSummary& summary) {
  const std::string job = describe_job(summary);
  layout.paragraph(indent_by(0),
                   job.empty() ? "Nothing wrong found." : fmt::format("Nothing wrong found ({}).", job));
}

void write_job(TextLayout& layout, const model::JobSummary& summary) {
  const std::string job = describe_job(summary);
  if (job.empty()) return;
  layout.paragraph(indent_by(0), job, Ink::kDim);
  layout.blank();
}

void write_findings(TextLayout& layout, const model::Verdict& verdict) {
  write_job(layout, verdict.job);
  std::size_t number = 0;
  for (const model::Finding& finding : verdict.findings) {
    if (number > 0) layout.blank();
    write_headline(layout, ++number, finding);
    write_explanation(layout, finding);
    write_evidence(layout, finding);
    write_fixes(layout, finding);
  }
}

}  // namespace

std::string render_text(const model::Verdict& verdict, const TextStyle& style) {
  TextLayout layout(style);
  if (verdict.findings.empty()) {
    write_calm_line(layout, verdict.job);
  } else {
    write_findings(layout, verdict);
  }
  write_decisions(layout, verdict);
  write_limits(layout, verdict);
  return std::move(layout).take();
}

}  // namespace lockstep::report
