#include "top/line.h"

#include <utility>

#include "report/code_points.h"
#include "top/fit.h"

namespace lockstep::top {
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
