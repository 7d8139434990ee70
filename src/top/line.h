// Text made to fit a number of columns, and lines of the screen made of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::top {

// `text`, which is already safe for a terminal, at most `columns` wide; what was cut ends with "…". Never
// half of a character.
std::string cut(std::string_view text, int columns);

// Exactly `columns` wide, cut or filled with blanks on the right (left) side.
std::string left_aligned(std::string_view text, int columns);
std::string right_aligned(std::string_view text, int columns);

// Text that came from a file, made safe; of a very long one only the beginning.
std::string safe(std::string_view from_a_file);

enum class Ink : std::uint8_t { kPlain, kBold, kDim, kHead, kSortedHead, kGood, kBusy, kWarning, kAlarm };

struct Piece {
  std::string text;  // safe for a terminal
  Ink ink = Ink::kPlain;
};

// One line of the screen: pieces of safe text, each with its ink.
class Line {
 public:
  Line() = default;
  explicit Line(std::string text, Ink ink = Ink::kPlain) { add(std::move(text), ink); }

  Line& add(std::string text, Ink ink = Ink::kPlain);
  Line& append(const Line& other);
  Line& fill_to(int column);  // with blanks
  void select() { is_selected_ = true; }

  int width() const { return width_; }

  // The line as plain text, without blanks at its end.
  std::string plain(int columns) const;
  // The line with its colours, at most `columns` wide; what was on the row before is wiped. Without colours
  // only bold, underlined and reverse are used.
  std::string painted(int columns, bool color) const;

 private:
  std::vector<Piece> pieces_;
  int width_ = 0;
  bool is_selected_ = false;
};

}  // namespace lockstep::top
