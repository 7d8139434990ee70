// Text for a terminal being laid out: indented, wrapped, coloured if wanted. It takes escaped text only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "report/format.h"

namespace lockstep::report {

enum class Ink { kPlain, kBold, kDim, kAlarm };

// What precedes the first row of a paragraph, and the others.
struct Margin {
  std::string first;
  std::string others;
};

Margin indent_by(int columns);
Margin bullet(int columns, std::string_view mark);  // the text hangs beside the mark

class TextLayout {
 public:
  explicit TextLayout(const TextStyle& style);

  void paragraph(const Margin& margin, std::string_view line, Ink ink = Ink::kPlain);

  // At most `rows` rows; an ellipsis ends what is cut.
  void brief(const Margin& margin, std::string_view line, std::size_t rows, Ink ink = Ink::kPlain);
  void unbroken(const Margin& margin, std::string_view line);  // one row, however long
  void blank();

  // How many rows the text takes there.
  std::size_t rows_of(const Margin& margin, std::string_view line) const;

  std::string take() && { return std::move(out_); }

 private:
  int width_beside(const Margin& margin) const;
  void row(std::string_view margin, std::string_view text, Ink ink);

  TextStyle style_;
  std::string out_;
};

}  // namespace lockstep::report
