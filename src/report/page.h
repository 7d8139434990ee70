// A page of text in the making: indented, wrapped, coloured if wanted. It takes escaped text only.
#pragma once

#include <string>
#include <string_view>

#include "report/text.h"

namespace lockstep::report {

enum class Ink { kPlain, kBold, kDim, kAlarm };

// What stands before the first row of a paragraph and, as blanks or repeated, before the others.
struct Margin {
  std::string first;
  std::string others;
};
Margin indent_by(int columns);
Margin bullet(int columns, std::string_view mark);  // the text hangs beside the mark

class Page {
 public:
  explicit Page(const TextStyle& style);

  void paragraph(const Margin& margin, std::string_view line, Ink ink = Ink::kPlain);
  void unbroken(const Margin& margin, std::string_view line);  // one row, however long
  void blank();

  std::string take() && { return std::move(out_); }

 private:
  void row(std::string_view margin, std::string_view text, Ink ink);

  TextStyle style_;
  std::string out_;
};

}  // namespace lockstep::report
