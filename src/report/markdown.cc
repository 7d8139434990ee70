#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/phrases.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kShortestFence = 3;

std::size_t longest_backtick_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t current = 0;
  for (const char c : text) {
    current = c == '`' ? current + 1 : 0;
    longest = std::max(longest, current);
  }
  return longest;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_prose_character(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool is_beyond_ascii = static_cast<unsigned char>(c) >= 0x80;
  return is_letter || is_digit(c) || is_beyond_ascii ||
         std::string_view(".,;'\"()-/").find(c) != std::string_view::npos;
}

// Punctuation that means nothing at the end of a word but something inside: :emoji:, !merge_request,
// %milestone.
std::string_view without_end_punctuation(std::string_view word) {
  while (!word.empty() && std::string_view(".,;:!?%").find(word.back()) != std::string_view::npos) {
    word.remove_suffix(1);
  }
  return word;
}

bool starts_an_autolink(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return lower.find("www.") != std::string::npos;
}

bool is_prose(std::string_view word) {
  return !word.starts_with('/') && std::ranges::all_of(word, is_prose_character) && !starts_an_autolink(word);
}

// "- x" and "1. x" begin a list, "---" draws a line: only as the first word of a paragraph.
std::string without_list_mark(std::string_view word) {
  if (word.starts_with('-')) return fmt::format("\\{}", word);
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const bool is_number_mark =
      digits > 0 && digits + 1 == word.size() && (word.back() == '.' || word.back() == ')');
  if (is_number_mark) return fmt::format("{}\\{}", word.substr(0, digits), word.back());
  return std::string(word);
}

std::string write_word(std::string_view word, bool is_first) {
  const std::string_view core = without_end_punctuation(word);
  if (core.empty()) return is_prose(word) ? std::string(word) : markdown_code(word);
  if (is_prose(core)) return is_first ? without_list_mark(word) : std::string(word);
  return markdown_code(core) + std::string(word.substr(core.size()));
}

}  // namespace

std::string markdown_prose(std::string_view text) {
  const std::string escaped = base::escape_for_terminal(text);
  std::string out;
  std::string_view rest = escaped;
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty()) return out;
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (!out.empty()) out += ' ';
    out += write_word(word, out.empty());
    rest.remove_prefix(word.size());
  }
}

std::string markdown_code(std::string_view text) {
  const std::string ticks(longest_backtick_run(text) + 1, '`');
  // A space on each side is taken away again by the reader of Markdown.
  const bool needs_spaces = text.empty() || text.front() == '`' || text.back() == '`' || text.front() == ' ';
  return needs_spaces ? fmt::format("{0} {1} {0}", ticks, text) : fmt::format("{0}{1}{0}", ticks, text);
}

std::string markdown_fence(const std::vector<std::string>& lines, std::string_view language,
                           std::size_t columns) {
  std::size_t length = kShortestFence;
  for (const std::string& line : lines) length = std::max(length, longest_backtick_run(line) + 1);
  const std::string indent(columns, ' ');
  const std::string fence(length, '`');
  std::string out = fmt::format("{}{}{}\n", indent, fence, language);
  for (const std::string& line : lines) out += fmt::format("{}{}\n", indent, line);
  return out + fmt::format("{}{}\n", indent, fence);
}

namespace {

std::string write_headline(std::size_t number, const model::Finding& finding) {
  std::string out =
      fmt::format("## {}. {}\n\n**{}**\n", number, markdown_prose(finding.title), who_and_how_sure(finding));
  std::string where;
  for (const model::CodePlace& place : finding.places)
    where += (where.empty() ? "At " : "; ") + markdown_prose(describe_code_place(place));
  if (!where.empty()) out += fmt::format("\n{}\n", where);
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
  std::string out = fmt::format("\n{}{}\n", mark, markdown_prose(fix.title));
  for (const std::string& step : fix.steps) out += fmt::format("{}- {}\n", indent, markdown_prose(step));
  for (const std::string& command : fix.commands) {
    out += '\n' + markdown_fence(escaped_lines(command), "sh", mark.size());
  }
  return out;
}

std::string write_fixes(const model::Finding& finding) {
  if (finding.fixes.empty()) return "";
  std::string out = "\n### What to do\n";
  std::size_t number = 0;
  for (const model::Fix& fix : finding.fixes) out += write_fix(++number, fix);
  return out;
}

std::string write_followers(const Story& story) {
  std::string out = story.followers.empty() ? "" : fmt::format("\n### {}\n", kFollowersHeading);
  for (const model::Finding* follower : story.followers) {
    out += fmt::format("\n{}\n", markdown_prose(follower->title));
    const std::size_t shown = std::min(follower->evidence.size(), kEvidenceShown);
    for (std::size_t i = 0; i < shown; ++i) out += write_piece(follower->evidence[i]);
  }
  return out;
}

std::string write_category(const model::Finding& finding) {
  const model::LeafEntry& leaf = model::entry_of(finding.leaf);
  return fmt::format("\nCategory: {} (**{}**), {}.\n", leaf.name, leaf.id,
                     markdown_code(describe_code(finding)));
}

std::string write_decisions(const model::Verdict& verdict) {
  if (!verdict.decisions) return "";
  std::string out = "\n## Why this verdict\n\n";
  if (verdict.decisions->empty()) out += fmt::format("- {}\n", kNothingToDecide);
  for (const model::Decision& decision : *verdict.decisions)
    out += fmt::format("- {}\n", markdown_prose(describe_decision(decision)));
  return out;
}

std::string write_limits(const model::Verdict& verdict) {
  if (verdict.limits.empty()) return "";
  std::string out = "\n## Limits of this verdict\n\n";
  for (const std::string& limit : verdict.limits) out += fmt::format("- {}\n", markdown_prose(limit));
  return out;
}

std::string write_findings(const model::Verdict& verdict) {
  std::string out = markdown_prose(describe_job(verdict.job));
  if (!out.empty()) out += '\n';
  std::size_t number = 0;
  for (const Story& story : stories_of(verdict)) {
    if (!out.empty()) out += '\n';
    out += write_headline(++number, *story.cause);
    out += write_explanation(*story.cause);
    out += write_evidence(*story.cause);
    out += write_fixes(*story.cause);
    out += write_followers(story);
    out += write_category(*story.cause);
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
  return out + write_decisions(verdict) + write_limits(verdict);
}

}  // namespace lockstep::report
