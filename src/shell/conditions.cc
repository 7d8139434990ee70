// test, [ ... ] and [[ ... ]], as far as their words are known. Whether a file is there is not asked.
#include "base/text_fields.h"
#include "shell/limits.h"
#include "shell/machine.h"

namespace lockstep::shell {
namespace {

Truth negated(Truth truth) {
  return truth ? Truth(!*truth) : truth;
}

Truth both(Truth one, Truth other) {
  if ((one && !*one) || (other && !*other)) return false;
  return one && other ? Truth(true) : Truth();
}

Truth any(Truth one, Truth other) {
  return negated(both(negated(one), negated(other)));
}

}  // namespace

Truth Machine::ask(const std::string& operation, const Word& operand) {
  if (operation == "-z" || operation == "-n") {
    // Known text beside an open part is not empty.
    const bool is_whole = operand.text.starts_with(kOpenPart) || operand.text.starts_with(kOpenWords);
    if (is_whole && operand.text.find(kOpenEnd) + 1 == operand.text.size()) return std::nullopt;
    return operand.text.empty() == (operation == "-z");
  }
  if (operation == "-v") {
    const Variable* const variable = state_.find(operand.text);
    if (variable != nullptr) return !variable->is_unset;
    return world_.variable(operand.text).kind == Outer::Kind::kUnset ? Truth(false) : Truth();
  }
  return std::nullopt;
}

Truth Machine::compare(const std::string& operation, const Word& left, const Word& right,
                       bool is_pattern_side) {
  if (is_open(left.text) || is_open(right.text)) return std::nullopt;
  if (operation == "=" || operation == "==" || operation == "!=") {
    const Match match = is_pattern_side ? matches_pattern(right.text, left.text)
                                        : (left.text == right.text ? Match::kYes : Match::kNo);
    if (match == Match::kUndecided) return std::nullopt;
    return (match == Match::kYes) == (operation != "!=");
  }
  if (operation == "<") return left.text < right.text;
  if (operation == ">") return left.text > right.text;
  const auto one = arithmetic(left.text.empty() ? "0" : left.text);
  const auto other = arithmetic(right.text.empty() ? "0" : right.text);
  if (!one || !other) return std::nullopt;
  if (operation == "-eq") return *one == *other;
  if (operation == "-ne") return *one != *other;
  if (operation == "-lt") return *one < *other;
  if (operation == "-le") return *one <= *other;
  if (operation == "-gt") return *one > *other;
  if (operation == "-ge") return *one >= *other;
  return std::nullopt;
}

// A part of a test as the grammar has it.
Truth Machine::truth_of_part(Node node) {
  if (++depth_ > kMaxDepth) {
    --depth_;
    return std::nullopt;
  }
  Truth truth;
  if (node.is("binary_expression")) {
    const std::string operation(node.field("operator").text());
    const Node left = node.field("left");
    const Node right = node.field("right");
    if (left.is_null() || right.is_null()) {
      truth = std::nullopt;
    } else if (operation == "&&" || operation == "-a") {
      truth = both(truth_of_part(left), truth_of_part(right));
    } else if (operation == "||" || operation == "-o") {
      truth = any(truth_of_part(left), truth_of_part(right));
    } else if (operation != "=~") {
      const bool is_quoted = right.is("string") || right.is("raw_string");
      truth = compare(operation, text_of(left), text_of(right), !is_quoted);
    }
  } else if (node.is("unary_expression")) {
    std::string operation;
    Truth operand;
    bool has_operand = false;
    for (std::uint32_t i = 0; i < node.size(); ++i) {
      if (node[i].is("test_operator") || !node[i].is_named()) {
        if (operation.empty()) operation = node[i].text();
      } else if (operation == "!") {
        operand = truth_of_part(node[i]);
        has_operand = true;
      } else {
        operand = ask(operation, text_of(node[i]));
        has_operand = true;
      }
    }
    truth = operation == "!" ? negated(operand) : operand;
    if (!has_operand) truth = std::nullopt;
  } else if (node.is("parenthesized_expression")) {
    for (std::uint32_t i = 0; i < node.size(); ++i) {
      if (node[i].is_named()) truth = truth_of_part(node[i]);
    }
  } else if (!node.has_error()) {
    truth = ask("-n", text_of(node));
  }
  --depth_;
  return truth;
}

Truth Machine::truth_of(Node test) {
  if (test.has_error()) return std::nullopt;
  if (test.size() > 0 && test[0].is("((")) {
    const auto value = arithmetic_in(test);
    return value ? Truth(*value != 0) : Truth();
  }
  Truth truth;
  std::uint32_t parts = 0;
  for (std::uint32_t i = 0; i < test.size(); ++i) {
    if (!test[i].is_named()) continue;
    truth = truth_of_part(test[i]);
    ++parts;
  }
  return parts == 1 ? truth : Truth();
}

// The words behind `test`, or between [ and ] where the grammar took them for a command's.
Truth Machine::truth_of_words(std::span<const Word> words) {
  for (const Word& word : words) {
    if (may_be_words(word.text)) return std::nullopt;
  }
  if (words.empty()) return false;
  if (words.size() > 1 && words.front().text == "!") return negated(truth_of_words(words.subspan(1)));
  if (words.size() == 1) return ask("-n", words[0]);
  if (words.size() == 2) return ask(words[0].text, words[1]);
  if (words.size() == 3) return compare(words[1].text, words[0], words[2], false);
  return std::nullopt;
}

}  // namespace lockstep::shell
