#include "report/page.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/code_points.h"
#include "report/lines.h"

namespace lockstep::report {
namespace {

constexpr int kNarrowest = 40;

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

}  // namespace

Margin indent_by(int columns) {
  const std::string blanks(static_cast<std::size_t>(columns), ' ');
  return {blanks, blanks};
}

Margin bullet(int columns, std::string_view mark) {
  const std::string blanks(static_cast<std::size_t>(columns), ' ');
  return {fmt::format("{}{} ", blanks, mark),
          blanks + std::string(static_cast<std::size_t>(display_width(mark) + 1), ' ')};
}

Page::Page(const TextStyle& style) : style_(style) {
  style_.width = std::max(style_.width, kNarrowest);
}

void Page::paragraph(const Margin& margin, std::string_view line, Ink ink) {
  const int width = style_.width - std::max(display_width(margin.first), display_width(margin.others));
  bool is_first = true;
  for (const std::string& text : wrap(line, width)) {
    row(is_first ? margin.first : margin.others, text, ink);
    is_first = false;
  }
}

void Page::unbroken(const Margin& margin, std::string_view line) {
  row(margin.first, line, Ink::kPlain);
}

void Page::blank() {
  out_ += '\n';
}

void Page::row(std::string_view margin, std::string_view text, Ink ink) {
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

}  // namespace lockstep::report
