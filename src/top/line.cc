#include "top/line.h"

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "report/lines.h"

namespace lockstep::top {

namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kMaxBytes = 4096;  // wider than any terminal

std::string blanks(int count) {
  std::string text(static_cast<std::size_t>(std::max(count, 0)), ' ');
  return text;
}

// The longest beginning of `text` that is at most `columns` wide, with the marks that combine with its end.
std::string_view beginning_of(std::string_view text, int columns) {
  std::size_t bytes = 0;
  int width = 0;
  while (bytes < text.size()) {
    const std::string_view next = report::first_code_point(text.substr(bytes));
    width += report::display_width(next);
    if (width > columns) break;
    bytes += next.size();
  }
  return text.substr(0, bytes);
}

}  // namespace

std::string cut(std::string_view text, int columns) {
  if (columns <= 0) return {};
  if (report::display_width(text) <= columns) return std::string(text);
  return std::string(beginning_of(text, columns - 1)).append(kEllipsis);
}

std::string left_aligned(std::string_view text, int columns) {
  std::string fitted = cut(text, columns);
  return fitted + blanks(columns - report::display_width(fitted));
}

std::string right_aligned(std::string_view text, int columns) {
  const std::string fitted = cut(text, columns);
  return blanks(columns - report::display_width(fitted)) + fitted;
}

std::string safe(std::string_view from_a_file) {
  return base::escape_for_terminal(from_a_file.substr(0, kMaxBytes));
}

namespace {

constexpr std::string_view kReset = "\x1b[0m";
constexpr std::string_view kReverse = "\x1b[7m";
constexpr std::string_view kWipeRest = "\x1b[K";

std::string_view code_of(Ink ink, bool color) {
  switch (ink) {
    case Ink::kPlain:
      return "";
    case Ink::kBold:
      return "\x1b[1m";
    case Ink::kDim:
      return color ? "\x1b[2m" : "";
    case Ink::kHead:
      return "\x1b[4m";
    case Ink::kSortedHead:
      return color ? "\x1b[1;4;36m" : "\x1b[1;4;7m";
    case Ink::kGood:
      return color ? "\x1b[32m" : "";
    case Ink::kBusy:
      return color ? "\x1b[36m" : "";
    case Ink::kWarning:
      return color ? "\x1b[33m" : "";
    case Ink::kAlarm:
      return color ? "\x1b[1;31m" : "\x1b[1m";
  }
  return "";
}

std::vector<Piece> cut_pieces(const std::vector<Piece>& pieces, int columns) {
  std::vector<Piece> shown;
  int left = columns;
  for (const Piece& piece : pieces) {
    if (left <= 0) break;
    shown.push_back({cut(piece.text, left), piece.ink});
    left -= report::display_width(shown.back().text);
  }
  return shown;
}

}  // namespace

Line& Line::add(std::string text, Ink ink) {
  width_ += report::display_width(text);
  pieces_.push_back({std::move(text), ink});
  return *this;
}

Line& Line::append(const Line& other) {
  width_ += other.width_;
  pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
  return *this;
}

Line& Line::fill_to(int column) {
  if (column > width_) add(std::string(static_cast<std::size_t>(column - width_), ' '));
  return *this;
}

std::string Line::plain(int columns) const {
  std::string out;
  for (const Piece& piece : cut_pieces(pieces_, columns)) out += piece.text;
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string Line::painted(int columns, bool color) const {
  Line whole = *this;
  if (is_selected_) whole.fill_to(columns);
  std::string out;
  for (const Piece& piece : cut_pieces(whole.pieces_, columns)) {
    const std::string_view code = code_of(piece.ink, color);
    const bool is_styled = is_selected_ || !code.empty();
    if (is_selected_) out += kReverse;
    out.append(code).append(piece.text);
    if (is_styled) out += kReset;
  }
  if (whole.width_ < columns) out += kWipeRest;
  return out;
}

}  // namespace lockstep::top
