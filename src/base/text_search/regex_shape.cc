#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "base/text_search/factors.h"

namespace lockstep::base {
namespace {

using Kind = RegexNode::Kind;

constexpr std::size_t kMaxPositions = 2000;
constexpr int kMaxDepth = 40;
// A bounded repetition is copied up to here and unbounded beyond: more matches, never fewer.
constexpr int kMaxCopies = 8;

void add_both_cases(ByteClass& bytes, unsigned char c) {
  bytes.set(static_cast<unsigned char>(std::tolower(c)));
  bytes.set(static_cast<unsigned char>(std::toupper(c)));
}

ByteClass class_named(char letter) {
  ByteClass bytes;
  for (int c = 0; c < 128; ++c) {
    const bool is_in = std::tolower(letter) == 'd'   ? std::isdigit(c) != 0
                       : std::tolower(letter) == 'w' ? std::isalnum(c) != 0 || c == '_'
                                                     : std::isspace(c) != 0;
    if (is_in) bytes.set(static_cast<std::size_t>(c));
  }
  return std::isupper(static_cast<unsigned char>(letter)) != 0 ? ~bytes : bytes;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::optional<RegexShape> parse() {
    shape_.root = choice(0);
    if (is_foreign_ || !rest_.empty()) return std::nullopt;
    return std::move(shape_);
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  char take_any() {
    if (rest_.empty()) {
      is_foreign_ = true;
      return 0;
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  RegexNode leaf(const ByteClass& bytes) {
    if (shape_.bytes.size() >= kMaxPositions) is_foreign_ = true;
    shape_.bytes.push_back(bytes);
    return {Kind::kBytes, shape_.bytes.size() - 1};
  }

  RegexNode choice(int depth) {
    RegexNode node{Kind::kChoice};
    if (depth > kMaxDepth) is_foreign_ = true;
    do {
      node.children.push_back(sequence(depth));
    } while (!is_foreign_ && take('|'));
    return node.children.size() == 1 ? std::move(node.children.front()) : node;
  }

  RegexNode sequence(int depth) {
    RegexNode node{Kind::kSequence};
    while (!is_foreign_ && !rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      const std::string_view from = rest_;
      std::optional<RegexNode> one = item(depth);
      if (is_foreign_ || !one) continue;
      const std::string_view text = from.substr(0, from.size() - rest_.size());
      repeat(node, *std::move(one), text, depth);
    }
    return node;
  }

  // Nothing for an assertion: it takes no bytes.
  std::optional<RegexNode> item(int depth) {
    const char c = take_any();
    if (c == '(') return group(depth);
    if (c == '[') return leaf(bracket());
    if (c == '.') return leaf(~ByteClass().set('\n'));
    if (c == '^' || c == '$') return std::nullopt;
    if (c == '\\') return escape();
    if (c == '*' || c == '+' || c == '?' || c == '{') is_foreign_ = true;
    ByteClass bytes;
    add_both_cases(bytes, static_cast<unsigned char>(c));
    return leaf(bytes);
  }

  std::optional<RegexNode> group(int depth) {
    if (take('?')) {
      if (take('P')) {
        if (!take('<')) is_foreign_ = true;
        while (!is_foreign_ && take_any() != '>') {
        }
      } else if (!take(':')) {
        is_foreign_ = true;
      }
    }
    RegexNode inside = choice(depth + 1);
    if (!take(')')) is_foreign_ = true;
    return inside;
  }

  std::optional<RegexNode> escape() {
    const char c = take_any();
    if (c == 'b' || c == 'B' || c == 'A' || c == 'z') return std::nullopt;
    ByteClass bytes;
    add_escaped(bytes, c);
    return leaf(bytes);
  }

  void add_escaped(ByteClass& bytes, char c) {
    constexpr std::string_view kNamed = "dDwWsS";
    if (kNamed.find(c) != std::string_view::npos) {
      bytes |= class_named(c);
    } else {
      add_both_cases(bytes, escaped_byte(c));
    }
  }

  unsigned char escaped_byte(char c) {
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c == 'r') return '\r';
    if (c == 'x') {
      unsigned value = 0;
      const std::string_view digits = rest_.substr(0, 2);
      const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      if (fault != std::errc() || end != digits.data() + 2) is_foreign_ = true;
      rest_.remove_prefix(digits.size());
      return static_cast<unsigned char>(value);
    }
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) is_foreign_ = true;
    return static_cast<unsigned char>(c);
  }

  ByteClass bracket() {
    const bool is_negated = take('^');
    ByteClass bytes;
    for (bool is_first = true; !is_foreign_ && (is_first || !rest_.starts_with(']')); is_first = false) {
      const char c = take_any();
      if (c == '[' && rest_.starts_with(':')) is_foreign_ = true;
      const bool is_range = c != '\\' && rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']';
      if (c == '\\') {
        add_escaped(bytes, take_any());
      } else if (is_range) {
        rest_.remove_prefix(1);
        const auto last = static_cast<unsigned char>(take_any());
        if (last == '\\') is_foreign_ = true;
        for (unsigned byte = static_cast<unsigned char>(c); byte <= last; ++byte)
          add_both_cases(bytes, static_cast<unsigned char>(byte));
      } else {
        add_both_cases(bytes, static_cast<unsigned char>(c));
      }
    }
    if (!take(']')) is_foreign_ = true;
    return is_negated ? ~bytes : bytes;
  }

  struct Times {
    int least = 1;
    int most = 1;  // -1: no limit
  };

  Times times() {
    if (take('*')) return {0, -1};
    if (take('+')) return {1, -1};
    if (take('?')) return {0, 1};
    if (!take('{')) return {};
    Times told;
    const auto number = [&](int otherwise) {
      int value = otherwise;
      const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (fault == std::errc()) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      return value;
    };
    told.least = number(-1);
    told.most = take(',') ? number(-1) : told.least;
    if (told.least < 0 || !take('}')) is_foreign_ = true;
    return told;
  }

  // `one` was read from `text`, which is read again for each further copy: every copy has its own positions.
  void repeat(RegexNode& into, RegexNode one, std::string_view text, int depth) {
    const Times told = times();
    take('?');  // lazy: the same language
    if (is_foreign_) return;
    const auto again = [&] {
      const std::string_view after = std::exchange(rest_, text);
      RegexNode copy = item(depth).value_or(RegexNode{});
      rest_ = after;
      return copy;
    };
    const int copies = std::min(told.least, kMaxCopies);
    const bool is_open = told.most < 0 || told.most > kMaxCopies || told.least > kMaxCopies;
    if (copies == 0) {
      wrap(one, is_open ? Kind::kRepeated : Kind::kSequence);
      wrap(one, Kind::kOptional);
      into.children.push_back(std::move(one));
      return;
    }
    if (is_open && copies == 1) wrap(one, Kind::kRepeated);
    into.children.push_back(std::move(one));
    for (int i = 1; i < copies; ++i) {
      into.children.push_back(again());
      if (is_open && i + 1 == copies) wrap(into.children.back(), Kind::kRepeated);
    }
    for (int i = copies; !is_open && i < told.most; ++i) {
      into.children.push_back(again());
      wrap(into.children.back(), Kind::kOptional);
    }
  }

  static void wrap(RegexNode& node, Kind kind) {
    RegexNode outer{kind};
    outer.children.push_back(std::move(node));
    node = std::move(outer);
  }

  std::string_view rest_;
  RegexShape shape_;
  bool is_foreign_ = false;
};

// Where a walk through a part can begin and end.
struct Ends {
  std::vector<std::size_t> first;
  std::vector<std::size_t> last;
  bool can_be_empty = false;
};

void append(std::vector<std::size_t>& to, const std::vector<std::size_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void link(RegexShape& shape, const std::vector<std::size_t>& from, const std::vector<std::size_t>& to) {
  for (const std::size_t position : from) append(shape.next[position], to);
}

Ends link_inside(RegexShape& shape, const RegexNode& node) {
  switch (node.kind) {
    case Kind::kBytes:
      return {{node.position}, {node.position}, false};
    case Kind::kChoice: {
      Ends all;
      for (const RegexNode& child : node.children) {
        const Ends ends = link_inside(shape, child);
        append(all.first, ends.first);
        append(all.last, ends.last);
        all.can_be_empty |= ends.can_be_empty;
      }
      return all;
    }
    case Kind::kOptional: {
      Ends ends = link_inside(shape, node.children.front());
      ends.can_be_empty = true;
      return ends;
    }
    case Kind::kRepeated: {
      Ends ends = link_inside(shape, node.children.front());
      link(shape, ends.last, ends.first);
      return ends;
    }
    case Kind::kSequence:
      break;
  }
  Ends all{{}, {}, true};
  for (const RegexNode& child : node.children) {
    const Ends ends = link_inside(shape, child);
    link(shape, all.last, ends.first);
    if (all.can_be_empty) append(all.first, ends.first);
    if (!ends.can_be_empty) all.last.clear();
    append(all.last, ends.last);
    all.can_be_empty = all.can_be_empty && ends.can_be_empty;
  }
  return all;
}

}  // namespace

std::optional<RegexShape> shape_of(std::string_view regex) {
  std::optional<RegexShape> shape = Parser(regex).parse();
  if (!shape) return std::nullopt;
  const std::size_t count = shape->bytes.size();
  shape->next.resize(count);
  shape->before.resize(count);
  shape->can_begin.resize(count);
  shape->can_end.resize(count);
  const RegexNode root = shape->root;
  const Ends ends = link_inside(*shape, root);
  for (const std::size_t position : ends.first) shape->can_begin[position] = true;
  for (const std::size_t position : ends.last) shape->can_end[position] = true;
  for (std::size_t from = 0; from < count; ++from) {
    std::vector<std::size_t>& next = shape->next[from];
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    for (const std::size_t to : next) shape->before[to].push_back(from);
  }
  return shape;
}

}  // namespace lockstep::base
