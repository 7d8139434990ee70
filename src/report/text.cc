// A verdict for people at a terminal. The short form answers in its first five rows what happened, who began
// it, where in the user's code and what to do first; the long one (`details`) has everything.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/escape.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/phrases.h"
#include "report/text_layout.h"

namespace lockstep::report {

namespace {

using model::Finding;
using model::Verdict;

// Columns at which the parts of a finding begin.
constexpr int kBody = 3;
constexpr int kItem = 5;
constexpr int kDetail = 8;

// Rows of the short form: a verdict of one finding fits a terminal of 24 rows with its prompt. Held by
// RenderText.AVerdictOfOneFindingFitsATerminal.
constexpr std::size_t kTitleRows = 2;
constexpr std::size_t kPlacesNamed = 2;
constexpr std::size_t kPlaceRows = 1;
constexpr std::size_t kStepRows = 2;
constexpr std::size_t kExplanationRows = 3;
constexpr std::size_t kPiecesShown = 2;
constexpr std::size_t kRowsOfFirstPiece = 2;
constexpr std::size_t kFollowersNamed = 2;
constexpr std::size_t kOthersNamed = 3;
constexpr std::size_t kLimitsNamed = 3;  // where nothing wrong was found
// Above it a verdict stands by itself, and what it could not see is counted; below, the first limit is said.
constexpr double kStandsByItself = 0.6;

std::string safe(std::string_view text) {
  return base::escape_for_terminal(text);
}

std::string where_in_the_code(const Finding& finding, std::size_t most) {
  std::vector<std::string> places;
  for (const model::CodePlace& place : finding.places) {
    if (places.size() < most) places.push_back(describe_code_place(place));
  }
  return places.empty() ? "" : fmt::format("At {}", fmt::join(places, "; "));
}

Margin headline_margin(std::size_t number, std::size_t of) {
  return of > 1 ? bullet(0, fmt::format("{}.", number)) : indent_by(0);
}

void write_job(TextLayout& layout, const model::JobSummary& summary) {
  const std::string job = describe_job(summary);
  if (!job.empty()) layout.paragraph(indent_by(0), "Job: " + job, Ink::kDim);
}

void write_limits(TextLayout& layout, const Verdict& verdict, std::size_t most) {
  if (verdict.limits.empty()) return;
  layout.blank();
  layout.paragraph(indent_by(0), "Limits of this verdict", Ink::kBold);
  const std::size_t shown = std::min(most, verdict.limits.size());
  for (std::size_t i = 0; i < shown; ++i) layout.paragraph(bullet(2, "-"), safe(verdict.limits[i]));
  const std::size_t folded = verdict.limits.size() - shown;
  if (folded > 0) layout.paragraph(bullet(2, "-"), fmt::format("… and {} more", folded), Ink::kDim);
}

void write_decisions(TextLayout& layout, const Verdict& verdict) {
  if (!verdict.decisions) return;
  layout.blank();
  layout.paragraph(indent_by(0), "Why this verdict", Ink::kBold);
  if (verdict.decisions->empty()) layout.paragraph(bullet(2, "-"), kNothingToDecide);
  for (const model::Decision& decision : *verdict.decisions)
    layout.paragraph(bullet(2, "-"), describe_decision(decision));
}

// The long form.

void write_lines(TextLayout& layout, const Margin& margin, std::string_view text) {
  for (const std::string& line : escaped_lines(text)) layout.paragraph(margin, line);
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

void write_evidence(TextLayout& layout, const Finding& finding) {
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
  layout.paragraph(bullet(kItem, fmt::format("{}.", number)), safe(fix.title));
  for (const std::string& step : fix.steps) layout.paragraph(bullet(kDetail, "-"), safe(step));
  if (!fix.commands.empty()) layout.blank();
  for (const std::string& command : fix.commands) {
    for (const std::string& line : escaped_lines(command)) layout.unbroken(indent_by(kDetail + 2), line);
  }
}

void write_fixes(TextLayout& layout, const Finding& finding) {
  if (finding.fixes.empty()) return;
  layout.blank();
  layout.paragraph(indent_by(kBody), "What to do", Ink::kBold);
  std::size_t number = 0;
  for (const model::Fix& fix : finding.fixes) write_fix(layout, ++number, fix);
}

void write_story(TextLayout& layout, const Story& story, const Margin& headline) {
  const Finding& cause = *story.cause;
  const model::LeafEntry& leaf = model::entry_of(cause.leaf);
  layout.paragraph(headline, safe(cause.title), Ink::kAlarm);
  layout.paragraph(indent_by(kBody), who_and_how_sure(cause));
  const std::string where = where_in_the_code(cause, cause.places.size());
  if (!where.empty()) layout.paragraph(indent_by(kBody), where, Ink::kBold);
  if (!cause.explanation.empty()) {
    layout.blank();
    write_lines(layout, indent_by(kBody), cause.explanation);
  }
  write_evidence(layout, cause);
  write_fixes(layout, cause);
  if (!story.followers.empty()) {
    layout.blank();
    layout.paragraph(indent_by(kBody), kFollowersHeading, Ink::kBold);
  }
  for (const Finding* follower : story.followers) {
    layout.paragraph(bullet(kItem, "-"), safe(follower->title));
    const std::size_t shown = std::min(follower->evidence.size(), kEvidenceShown);
    for (std::size_t i = 0; i < shown; ++i) write_piece(layout, follower->evidence[i]);
  }
  layout.blank();
  layout.paragraph(indent_by(kBody),
                   fmt::format("Category: {} ({}), {}", leaf.name, leaf.id, describe_code(cause)), Ink::kDim);
}

// The short form.

// Whole sentences, as many as have room; of the first one its beginning.
std::string opening_of(const TextLayout& layout, const Margin& margin, const std::string& text) {
  std::size_t end = 0;
  for (std::size_t stop = text.find(". "); stop != std::string::npos; stop = text.find(". ", stop + 1)) {
    if (layout.rows_of(margin, text.substr(0, stop + 1)) > kExplanationRows) break;
    end = stop + 1;
  }
  const bool has_room = layout.rows_of(margin, text) <= kExplanationRows;
  return has_room || end == 0 ? text : text.substr(0, end);
}

void write_first_fix(TextLayout& layout, const Finding& finding) {
  if (finding.fixes.empty()) return;
  const model::Fix& fix = finding.fixes.front();
  layout.brief(indent_by(kBody), "Do first: " + safe(fix.title), 1, Ink::kBold);
  if (!fix.steps.empty()) layout.brief(bullet(kItem, "-"), safe(fix.steps.front()), kStepRows);
  if (fix.commands.empty()) return;
  const std::vector<std::string> lines = escaped_lines(fix.commands.front());
  if (lines.size() == 1) layout.unbroken(indent_by(kItem + 2), lines.front());
}

// What tells files apart stands at the end of their paths.
std::string end_of_path(const std::string& path) {
  constexpr std::size_t kLongest = 48;  // characters, beside the rank in a row of 80
  if (path.size() <= kLongest) return path;
  const std::size_t slash = path.find('/', path.size() - kLongest);
  return "…" + path.substr(slash == std::string::npos ? path.rfind('/') + 1 : slash);
}

void write_brief_piece(TextLayout& layout, const model::Evidence& evidence, std::size_t rows) {
  const std::string origin = describe_origin(evidence);
  const std::string place = evidence.file.empty() ? "" : end_of_path(describe_place(evidence));
  const std::vector<std::string> lines = excerpt(evidence.text);
  const std::string blanks(kBody, ' ');
  if (!lines.empty()) layout.brief({blanks + "| ", blanks + "|   "}, lines.back(), rows);
  if (place.empty() && origin.empty()) return;
  const std::string told =
      place.empty() || origin.empty() ? place + origin : fmt::format("{} ({})", place, origin);
  layout.brief(indent_by(kItem), told, 1, Ink::kDim);
}

void write_brief_story(TextLayout& layout, const Story& story, const Margin& headline, std::size_t pieces) {
  const Finding& cause = *story.cause;
  layout.brief(headline, safe(cause.title), kTitleRows, Ink::kAlarm);
  layout.brief(indent_by(kBody), who_and_how_sure(cause), kTitleRows);
  const std::string where = where_in_the_code(cause, kPlacesNamed);
  if (!where.empty()) layout.brief(indent_by(kBody), where, kPlaceRows, Ink::kBold);
  write_first_fix(layout, cause);
  if (!cause.explanation.empty()) {
    layout.blank();
    const std::string text = fmt::format("{}", fmt::join(escaped_lines(cause.explanation), " "));
    layout.brief(indent_by(kBody), opening_of(layout, indent_by(kBody), text), kExplanationRows);
  }
  if (!cause.evidence.empty()) layout.blank();
  const std::size_t shown = std::min(cause.evidence.size(), pieces);
  for (std::size_t i = 0; i < shown; ++i)
    write_brief_piece(layout, cause.evidence[i], i == 0 ? kRowsOfFirstPiece : 1);
  if (story.followers.empty()) return;
  layout.blank();
  const std::size_t named = std::min(story.followers.size(), kFollowersNamed);
  for (std::size_t i = 0; i < named; ++i)
    layout.brief(bullet(kBody, relation_to_cause(*story.followers[i])), safe(story.followers[i]->title),
                 kTitleRows);
}

// "2 more fixes, 1 more piece of evidence and 3 limits"
class Folded {
 public:
  void add(std::size_t all, std::size_t shown, std::string_view one, std::string_view many) {
    if (all <= shown) return;
    const std::size_t left = all - shown;
    parts_.push_back(fmt::format("{} {}", left, left == 1 ? one : many));
  }
  bool empty() const { return parts_.empty(); }
  std::string in_words() const {
    if (parts_.size() == 1) return parts_.front();
    const auto last = parts_.end() - 1;
    return fmt::format("{} and {}", fmt::join(parts_.begin(), last, ", "), *last);
  }

 private:
  std::vector<std::string> parts_;
};

void write_others(TextLayout& layout, const std::vector<Story>& stories) {
  const std::size_t named = std::min(stories.size(), kOthersNamed + 1);
  for (std::size_t i = 1; i < named; ++i) {
    layout.blank();
    layout.brief(headline_margin(i + 1, stories.size()), safe(stories[i].cause->title), kTitleRows,
                 Ink::kBold);
    layout.brief(indent_by(kBody), who_and_how_sure(*stories[i].cause), kTitleRows);
  }
}

struct Shown {
  std::size_t pieces = 0;  // of evidence
  std::size_t limits = 0;
};

void write_where_the_rest_is(TextLayout& layout, const Verdict& verdict, const std::vector<Story>& stories,
                             const TextStyle& style, const Shown& shown) {
  const Story& first = stories.front();
  Folded folded;
  folded.add(first.cause->fixes.size(), 1, "more fix", "more fixes");
  folded.add(first.cause->evidence.size(), shown.pieces, "more piece of evidence", "more pieces of evidence");
  folded.add(first.followers.size(), kFollowersNamed, "more consequence", "more consequences");
  folded.add(stories.size(), kOthersNamed + 1, "more finding", "more findings");
  folded.add(verdict.limits.size(), shown.limits, "limit", "limits");
  const std::string about = fmt::format("lockstep explain {}", describe_code(*first.cause));
  const std::string rest = folded.empty() ? "everything" : folded.in_words();
  layout.paragraph(indent_by(0), fmt::format("{} shows {}; {}", safe(style.details_command), rest, about),
                   Ink::kDim);
}

void write_brief(TextLayout& layout, const Verdict& verdict, const TextStyle& style) {
  const std::vector<Story> stories = stories_of(verdict);
  const bool is_clear = stories.front().cause->confidence >= kStandsByItself;
  const std::size_t pieces = is_clear ? kPiecesShown : kPiecesShown - 1;
  write_brief_story(layout, stories.front(), headline_margin(1, stories.size()), pieces);
  write_others(layout, stories);
  write_decisions(layout, verdict);
  const std::size_t limits = is_clear || verdict.limits.empty() ? 0 : 1;
  layout.blank();
  if (limits > 0) layout.brief(indent_by(0), "Limit: " + safe(verdict.limits.front()), 1);
  write_job(layout, verdict.job);
  write_where_the_rest_is(layout, verdict, stories, style, {.pieces = pieces, .limits = limits});
}

void write_details(TextLayout& layout, const Verdict& verdict) {
  const std::vector<Story> stories = stories_of(verdict);
  for (std::size_t i = 0; i < stories.size(); ++i) {
    if (i > 0) layout.blank();
    write_story(layout, stories[i], headline_margin(i + 1, stories.size()));
  }
  layout.blank();
  write_job(layout, verdict.job);
  write_decisions(layout, verdict);
  write_limits(layout, verdict, verdict.limits.size());
}

void write_calm(TextLayout& layout, const Verdict& verdict, std::size_t limits) {
  const std::string job = describe_job(verdict.job);
  layout.paragraph(indent_by(0),
                   job.empty() ? "Nothing wrong found." : fmt::format("Nothing wrong found ({}).", job));
  write_decisions(layout, verdict);
  write_limits(layout, verdict, limits);
}

}  // namespace

std::string render_text(const Verdict& verdict, const TextStyle& style) {
  TextLayout layout(style);
  if (verdict.findings.empty()) {
    write_calm(layout, verdict, style.details ? verdict.limits.size() : kLimitsNamed);
  } else if (style.details) {
    write_details(layout, verdict);
  } else {
    write_brief(layout, verdict, style);
  }
  return std::move(layout).take();
}

}  // namespace lockstep::report
