// Text of a shell, parts of which may be open: only the running shell could know them. An open part stands
// between marks, as it was written: "<$(hostname)>:29500".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::shell {

inline constexpr char kOpenPart = '\x01';   // a word or a part of one begins here
inline constexpr char kOpenWords = '\x03';  // the same, unquoted and by itself: any number of words
inline constexpr char kOpenEnd = '\x02';

std::string open_part(std::string_view as_written);
std::string open_words(std::string_view as_written);

bool is_open(std::string_view text);            // some part of it
bool may_be_words(std::string_view text);       // the whole is an open part that the shell would split
std::string as_written(std::string_view text);  // without marks
// The same control characters in a file would be taken for marks.
std::string without_control_characters(std::string_view text);

// Where a text stands. `file` is as the user named it; empty: the command line.
struct Place {
  std::string file = {};
  std::int64_t line = 0;  // 0: not known

  bool operator==(const Place&) const = default;
};

// Of a variable whose value went into a word.
struct Source {
  std::string name;
  Place place;
  std::string value;

  bool operator==(const Source&) const = default;
};

struct Word {
  std::string text = {};
  Place place = {};
  std::vector<Source> sources = {};

  bool operator==(const Word&) const = default;
};

// At blanks, as the shell splits what a variable put in. Open parts stay whole.
std::vector<std::string> split_at_blanks(std::string_view text);

// bash's pattern with *, ? and [...] against a text; nothing where that would take too long to decide.
enum class Match { kNo, kYes, kUndecided };
Match matches_pattern(const std::string& pattern, const std::string& text);
bool is_pattern(std::string_view text);

bool is_name_letter(char letter);
// "A" of "A=1", "A+=1" and "A"; empty when it does not begin with a name.
std::string_view name_at_start(std::string_view text);

}  // namespace lockstep::shell
