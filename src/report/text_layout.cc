#include "report/text_layout.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/lines.h"

namespace lockstep::report {
namespace {

constexpr int kMinWidth = 40;  // columns; in fewer every word would be broken
constexpr std::string_view kEllipsis = " …";

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

std::string blanks(int columns) {
  return std::string(static_cast<std::size_t>(columns), ' ');
}

}  // namespace

Margin indent_by(int columns) {
  return {blanks(columns), blanks(columns)};
}

Margin bullet(int columns, std::string_view mark) {
  return {fmt::format("{}{} ", blanks(columns), mark), blanks(columns + display_width(mark) + 1)};
}

TextLayout::TextLayout(const TextStyle& style) : style_(style) {
  style_.width = std::max(style_.width, kMinWidth);
}

int TextLayout::width_beside(const Margin& margin) const {
  return style_.width - std::max(display_width(margin.first), display_width(margin.others));
}

void TextLayout::paragraph(const Margin& margin, std::string_view line, Ink ink) {
  bool is_first = true;
  for (const std::string& text : wrap(line, width_beside(margin))) {
    row(is_first ? margin.first : margin.others, text, ink);
    is_first = false;
  }
}

void TextLayout::brief(const Margin& margin, std::string_view line, std::size_t rows, Ink ink) {
  const int width = width_beside(margin);
  std::vector<std::string> wrapped = wrap(line, width);
  if (wrapped.size() > rows) {
    wrapped.resize(rows);
    wrapped.back() = wrap(wrapped.back(), width - display_width(kEllipsis)).front() + std::string(kEllipsis);
  }
  for (std::size_t i = 0; i < wrapped.size(); ++i)
    row(i == 0 ? margin.first : margin.others, wrapped[i], ink);
}

std::size_t TextLayout::rows_of(const Margin& margin, std::string_view line) const {
  return wrap(line, width_beside(margin)).size();
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

}  // namespace lockstep::report
