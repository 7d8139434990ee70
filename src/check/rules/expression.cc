#include "check/rules/expression.h"

#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "check/rules/functions.h"

namespace lockstep::rules {
namespace {

// Levels of brackets, and characters of an expression: the parser calls itself for each, and a chain of
// operators is as deep as it is long. Held by Expressions.WrongTextIsRefusedWithAReason.
constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxLength = 2000;

struct Refused {
  std::string why;
};

struct Call {
  std::string_view name;
  std::size_t arguments;
  Form form;
};

constexpr Call kForms[] = {{"has", 1, Form::kHas},     {"any", 2, Form::kAny},       {"all", 2, Form::kAll},
                           {"count", 2, Form::kCount}, {"filter", 2, Form::kFilter}, {"map", 2, Form::kMap}};

constexpr std::pair<std::string_view, Operator> kComparisons[] = {
    {"==", Operator::kEqual},   {"!=", Operator::kUnequal}, {"<=", Operator::kAtMost},
    {">=", Operator::kAtLeast}, {"<", Operator::kBelow},    {">", Operator::kAbove}};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::unique_ptr<Node> parse() {
    auto node = take_or();
    skip_space();
    if (!rest().empty()) refuse(fmt::format("'{}' is not expected there", rest().substr(0, 20)));
    return node;
  }

 private:
  [[noreturn]] static void refuse(std::string why) { throw Refused{std::move(why)}; }

  std::string_view rest() const { return text_.substr(at_); }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  static bool is_word_letter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  }

  bool take_word(std::string_view word) {
    skip_space();
    if (!rest().starts_with(word)) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && is_word_letter(text_[end])) return false;
    at_ = end;
    return true;
  }

  bool take(std::string_view mark) {
    skip_space();
    if (!rest().starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }

  std::string take_name() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_letter(text_[at_])) ++at_;
    if (begin == at_) refuse(fmt::format("a name is expected at '{}'", rest().substr(0, 20)));
    return std::string(text_.substr(begin, at_ - begin));
  }

  static std::unique_ptr<Node> binary(Operator operation, std::unique_ptr<Node> left,
                                      std::unique_ptr<Node> right) {
    auto node = std::make_unique<Node>();
    node->kind = NodeKind::kBinary;
    node->operation = operation;
    node->children.push_back(std::move(left));
    node->children.push_back(std::move(right));
    return node;
  }

  std::unique_ptr<Node> take_or() {
    auto left = take_and();
    while (take_word("or")) left = binary(Operator::kOr, std::move(left), take_and());
    return left;
  }

  std::unique_ptr<Node> take_and() {
    auto left = take_not();
    while (take_word("and")) left = binary(Operator::kAnd, std::move(left), take_not());
    return left;
  }

  std::unique_ptr<Node> take_not() {
    if (!take_word("not")) return take_comparison();
    auto node = std::make_unique<Node>();
    node->kind = NodeKind::kNot;
    if (++depth_ > kMaxDepth) refuse("nested too deeply");
    node->children.push_back(take_not());
    --depth_;
    return node;
  }

  std::unique_ptr<Node> take_comparison() {
    auto left = take_sum();
    for (const auto& [mark, operation] : kComparisons) {
      if (take(mark)) return binary(operation, std::move(left), take_sum());
    }
    if (take_word("in")) return binary(Operator::kIn, std::move(left), take_sum());
    return left;
  }

  std::unique_ptr<Node> take_sum() {
    auto left = take_product();
    while (true) {
      if (take("+")) {
        left = binary(Operator::kPlus, std::move(left), take_product());
      } else if (take("-")) {
        left = binary(Operator::kMinus, std::move(left), take_product());
      } else {
        return left;
      }
    }
  }

  std::unique_ptr<Node> take_product() {
    auto left = take_postfix();
    while (true) {
      if (take("*")) {
        left = binary(Operator::kTimes, std::move(left), take_postfix());
      } else if (take("/")) {
        left = binary(Operator::kDividedBy, std::move(left), take_postfix());
      } else if (take("%")) {
        left = binary(Operator::kModulo, std::move(left), take_postfix());
      } else {
        return left;
      }
    }
  }

  std::unique_ptr<Node> take_postfix() {
    auto node = take_primary();
    while (true) {
      if (take(".")) {
        auto member = std::make_unique<Node>();
        member->kind = NodeKind::kMember;
        member->text = take_name();
        member->children.push_back(std::move(node));
        node = std::move(member);
      } else if (take("[")) {
        auto index = std::make_unique<Node>();
        index->kind = NodeKind::kIndex;
        index->children.push_back(std::move(node));
        index->children.push_back(take_nested());
        if (!take("]")) refuse("']' is missing");
        node = std::move(index);
      } else {
        return node;
      }
    }
  }

  std::unique_ptr<Node> take_nested() {
    if (++depth_ > kMaxDepth) refuse("nested too deeply");
    auto node = take_or();
    --depth_;
    return node;
  }

  std::unique_ptr<Node> take_literal(base::Json value) {
    auto node = std::make_unique<Node>();
    node->literal = std::move(value);
    return node;
  }

  std::unique_ptr<Node> take_primary() {
    skip_space();
    if (rest().empty()) refuse("it ends too early");
    const char first = rest().front();
    if (first == '"') return take_text();
    if (std::isdigit(static_cast<unsigned char>(first)) != 0) return take_number();
    if (take("(")) {
      auto node = take_nested();
      if (!take(")")) refuse("')' is missing");
      return node;
    }
    if (take("[")) return take_items(NodeKind::kList, "]");
    if (take_word("true")) return take_literal(true);
    if (take_word("false")) return take_literal(false);
    const std::string name = take_name();
    if (rest().starts_with("(")) {
      ++at_;
      auto call = take_items(NodeKind::kCall, ")");
      choose_function(name, *call);
      if (name == "matches") compile_pattern(*call);
      return call;
    }
    auto node = std::make_unique<Node>();
    node->kind = NodeKind::kName;
    node->text = name;
    return node;
  }

  static void choose_function(const std::string& name, Node& call) {
    const std::size_t arguments = call.children.size();
    for (const Call& one : kForms)
      if (one.name == name && one.arguments == arguments) call.form = one.form;
    if (call.form != Form::kFunction) return;
    const auto function = function_named(name, arguments);
    if (!function) refuse(fmt::format("there is no function {} of {} arguments", name, arguments));
    call.function = *function;
  }

  // Once, and not each time it is asked for.
  static void compile_pattern(Node& call) {
    const Node& pattern = *call.children[1];
    if (pattern.kind != NodeKind::kLiteral || !pattern.literal.is_string()) return;
    auto compiled = base::Regex::compile(pattern.literal.get<std::string>(), "rule");
    if (!compiled.ok()) refuse(compiled.error().why);
    call.pattern = std::move(compiled).value();
  }

  std::unique_ptr<Node> take_text() {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) refuse("a quote is not closed");
    auto node = take_literal(std::string(text_.substr(at_ + 1, end - at_ - 1)));
    at_ = end + 1;
    return node;
  }

  std::unique_ptr<Node> take_number() {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (fault != std::errc()) refuse("a number is too large");
    at_ = static_cast<std::size_t>(end - text_.data());
    return take_literal(number);
  }

  std::unique_ptr<Node> take_items(NodeKind kind, std::string_view close) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    if (take(close)) return node;
    do {
      node->children.push_back(take_nested());
    } while (take(","));
    if (!take(close)) refuse(fmt::format("'{}' is missing", close));
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Expression> Expression::parse(std::string_view text, std::string_view where) {
  if (text.size() > kMaxLength) return Error{"cannot use expression", std::string(where), "too long", ""};
  try {
    return Expression(Parser(text).parse());
  } catch (const Refused& refused) {
    return Error{"cannot use expression", std::string(where), refused.why, std::string(text)};
  }
}

}  // namespace lockstep::rules
