#include "top/pages/details.h"

#include <algorithm>

#include "report/lines.h"
#include "report/phrases.h"
#include "top/fit.h"

namespace lockstep::top {
namespace {

constexpr int kIndent = 2;
constexpr int kNameWidth = 15;
constexpr int kNarrowestValue = 16;

}  // namespace

void Details::add(std::string_view name, const std::string& value, Ink ink) {
  if (value.empty()) return;
  bool is_first = true;
  for (std::string& piece : report::wrap(value, std::max(kNarrowestValue, columns_ - kIndent - kNameWidth))) {
    Line line(std::string(kIndent, ' '));
    line.add(left_aligned(is_first ? name : "", kNameWidth), Ink::kDim).add(std::move(piece), ink);
    lines_.push_back(std::move(line));
    is_first = false;
  }
}

void Details::add_finding(const model::Finding& finding) {
  add("Wrong", safe(finding.title), Ink::kAlarm);
  add("Who", report::describe_who(finding));
  add("How sure", report::describe_confidence(finding.confidence) + ", " + report::describe_code(finding));
  add("Why", safe(finding.explanation));
  if (finding.fixes.empty()) return;
  const model::Fix& fix = finding.fixes.front();
  add("What to do", safe(fix.title));
  for (const std::string& step : fix.steps) add("", "- " + safe(step));
  for (const std::string& command : fix.commands) add("", "$ " + safe(command));
}

}  // namespace lockstep::top
