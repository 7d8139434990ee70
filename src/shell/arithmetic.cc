// $(( ... )), (( ... )), let and array places: whole numbers, as far as all of them are known.
#include <algorithm>
#include <cctype>
#include <limits>

#include "base/text_fields.h"
#include "shell/limits.h"
#include "shell/machine.h"

namespace lockstep::shell {

// By precedence climbing over the text, in which variables behind '$' are put in already.
class Arithmetic {
 public:
  using Number = std::optional<std::int64_t>;

  Arithmetic(Machine& machine, std::string_view text) : machine_(machine), text_(text) {}

  Number value() {
    Number result = comma();
    skip_blanks();
    return at_ == text_.size() && !is_broken_ ? result : std::nullopt;
  }

 private:
  struct Operator {
    std::string_view sign;
    int strength;
  };
  static constexpr Operator kOperators[] = {
      {"||", 1}, {"&&", 2},  {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8},
      {">>", 8}, {"**", 11}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},
      {"+", 9},  {"-", 9},   {"*", 10}, {"/", 10}, {"%", 10},
  };

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  Number comma() {
    Number result = chosen();
    while (take(",")) result = chosen();
    return result;
  }

  Number chosen() {
    const Number condition = binary(1);
    if (!take("?")) return condition;
    const Number yes = chosen();
    if (!take(":")) is_broken_ = true;
    const Number no = chosen();
    if (!condition) return std::nullopt;
    return *condition != 0 ? yes : no;
  }

  const Operator* next_operator(int weakest) {
    skip_blanks();
    const std::string_view rest = text_.substr(at_);
    for (const Operator& known : kOperators) {
      if (!rest.starts_with(known.sign)) continue;
      const bool assigns = rest.size() > known.sign.size() && rest[known.sign.size()] == '=' &&
                           known.strength != 6 && known.strength != 7;
      return known.strength >= weakest && !assigns ? &known : nullptr;
    }
    return nullptr;
  }

  Number binary(int weakest) {
    if (++depth_ > kMaxDepth) is_broken_ = true;
    Number left = is_broken_ ? std::nullopt : unary();
    while (!is_broken_) {
      const Operator* const found = next_operator(weakest);
      if (found == nullptr) break;
      at_ += found->sign.size();
      const Number right = binary(found->sign == "**" ? found->strength : found->strength + 1);
      left = left && right ? apply(found->sign, *left, *right) : std::nullopt;
    }
    --depth_;
    return left;
  }

  static Number apply(std::string_view sign, std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    if (sign == "+") return __builtin_add_overflow(left, right, &result) ? Number() : result;
    if (sign == "-") return __builtin_sub_overflow(left, right, &result) ? Number() : result;
    if (sign == "*") return __builtin_mul_overflow(left, right, &result) ? Number() : result;
    if (sign == "/" || sign == "%") {
      if (right == 0 || (right == -1 && left == std::numeric_limits<std::int64_t>::min()))
        return std::nullopt;
      return sign == "/" ? left / right : left % right;
    }
    if (sign == "**") {
      if (right < 0 || right > 62) return std::nullopt;
      result = 1;
      for (std::int64_t i = 0; i < right; ++i) {
        if (__builtin_mul_overflow(result, left, &result)) return std::nullopt;
      }
      return result;
    }
    if (sign == "<<" || sign == ">>") {
      if (right < 0 || right > 62 || left < 0 || left > (std::numeric_limits<std::int64_t>::max() >> right))
        return std::nullopt;
      return sign == "<<" ? left << right : left >> right;
    }
    if (sign == "<") return left < right;
    if (sign == ">") return left > right;
    if (sign == "<=") return left <= right;
    if (sign == ">=") return left >= right;
    if (sign == "==") return left == right;
    if (sign == "!=") return left != right;
    if (sign == "&&") return left != 0 && right != 0;
    if (sign == "||") return left != 0 || right != 0;
    if (sign == "&") return left & right;
    if (sign == "|") return left | right;
    return left ^ right;
  }

  Number unary() {
    if (++depth_ > kMaxDepth) is_broken_ = true;
    Number result;
    if (is_broken_) {
      result = std::nullopt;
    } else if (take("++") || take("--")) {
      const bool is_up = text_[at_ - 1] == '+';
      result = changed(name(), is_up ? 1 : -1, false);
    } else if (take("!")) {
      const Number inner = unary();
      result = inner ? Number(*inner == 0) : Number();
    } else if (take("-")) {
      const Number inner = unary();
      result = inner ? apply("-", 0, *inner) : Number();
    } else if (take("+")) {
      result = unary();
    } else if (take("~")) {
      const Number inner = unary();
      result = inner ? Number(~*inner) : Number();
    } else if (take("(")) {
      result = comma();
      if (!take(")")) is_broken_ = true;
    } else {
      result = primary();
    }
    --depth_;
    return result;
  }

  std::string name() {
    skip_blanks();
    const std::string found(name_at_start(text_.substr(at_)));
    at_ += found.size();
    return found;
  }

  Number primary() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_name_letter(text_[at_]) || text_[at_] == '#')) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) {
      is_broken_ = true;
      return std::nullopt;
    }
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      const bool is_octal = word.size() > 1 && word.front() == '0';
      return is_octal ? Number() : base::number_in<std::int64_t>(word);
    }
    const std::string variable(word);
    skip_blanks();
    if (text_.substr(at_).starts_with('[')) {
      is_broken_ = true;
      return std::nullopt;
    }
    if (take("++")) return changed(variable, 1, true);
    if (take("--")) return changed(variable, -1, true);
    for (const std::string_view sign : {"+=", "-=", "*=", "/=", "%="}) {
      if (!take(sign)) continue;
      const Number other = chosen();
      const Number own = value_of(variable);
      return assign(variable, own && other ? apply(sign.substr(0, 1), *own, *other) : Number());
    }
    if (!text_.substr(at_).starts_with("==") && take("=")) return assign(variable, chosen());
    return value_of(variable);
  }

  Number value_of(const std::string& variable) {
    const std::string text = machine_.value_of(variable, variable, {}).text;
    if (text.empty()) return 0;
    return base::number_in<std::int64_t>(base::trimmed(text));
  }

  Number assign(const std::string& variable, Number value) {
    if (variable.empty()) return std::nullopt;
    machine_.state_.set(variable, value ? Word{std::to_string(*value), {}, {}} : open_variable(variable, {}));
    return value;
  }

  Number changed(const std::string& variable, std::int64_t by, bool gives_old) {
    const Number old = value_of(variable);
    const Number now = assign(variable, old ? apply("+", *old, by) : Number());
    return gives_old ? old : now;
  }

  Machine& machine_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool is_broken_ = false;
};

std::optional<std::int64_t> Machine::arithmetic(std::string_view expression) {
  if (expression.size() > 4096) return std::nullopt;
  // An open part is a variable of its own name, which nobody sets.
  std::string text;
  bool is_inside_open = false;
  for (const char letter : expression) {
    const bool begins = letter == kOpenPart || letter == kOpenWords;
    if (begins) text += "LOCKSTEP_OPEN_";
    if (begins || letter == kOpenEnd) {
      is_inside_open = begins;
      continue;
    }
    if (!is_inside_open) text += letter;
  }
  return Arithmetic(*this, text).value();
}

// "$(( ... ))" and "(( ... ))".
std::optional<std::int64_t> Machine::arithmetic_in(Node node) {
  WordBuilder builder(place_of(node));
  expand_parts(node, Quoting::kHereDocument, builder);
  std::vector<Word> words = builder.take();
  if (words.size() != 1) return std::nullopt;
  std::string_view text = base::trimmed(words.front().text);
  if (text.starts_with('$')) text.remove_prefix(1);
  for (const std::string_view open : {"((", "["}) {
    if (!text.starts_with(open)) continue;
    if (text.size() < 2 * open.size()) return std::nullopt;
    return arithmetic(text.substr(open.size(), text.size() - 2 * open.size()));
  }
  return arithmetic(text);
}

}  // namespace lockstep::shell
