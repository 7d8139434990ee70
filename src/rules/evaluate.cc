#include "rules/evaluate.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "rules/functions.h"

namespace lockstep::rules {
namespace {

using base::Json;

class Evaluator {
 public:
  explicit Evaluator(const Scope& scope) : scope_(scope) {}

  Value of(const Node& node) {
    switch (node.kind) {
      case NodeKind::kLiteral:
        return Value(node.literal);
      case NodeKind::kName:
        return named(node.text);
      case NodeKind::kMember:
        return member(of(*node.children[0]), node.text);
      case NodeKind::kIndex:
        return indexed(node);
      case NodeKind::kList:
        return list(node);
      case NodeKind::kCall:
        return call(node);
      case NodeKind::kNot:
        return negated(of(*node.children[0]));
      case NodeKind::kMinus:
      case NodeKind::kBinary:
        return binary(node);
    }
    return {};
  }

  std::vector<std::string> take_read() { return std::move(read_); }

 private:
  static Value known(Json json) { return Value(std::move(json)); }

  Value noted(Value value) {
    const bool is_leaf = value.is_known() && !value.path().empty() && !value.json().is_object();
    if (is_leaf && std::ranges::find(read_, value.path()) == read_.end()) read_.push_back(value.path());
    return value;
  }

  Value named(const std::string& name) {
    for (auto inner = items_.rbegin(); inner != items_.rend() && name == "it"; ++inner) return noted(*inner);
    for (const auto& [known_name, value] : scope_.names) {
      if (known_name == name) return noted(value);
    }
    if (scope_.launch == nullptr || !scope_.launch->is_object()) return {};
    const auto found = scope_.launch->find(name);
    if (found == scope_.launch->end() || found->is_null()) return {};
    return noted(Value(*found, name));
  }

  Value member(const Value& object, const std::string& name) {
    if (!object.is_known() || !object.json().is_object()) return {};
    const auto found = object.json().find(name);
    if (found == object.json().end() || found->is_null()) return {};
    if (object.path().empty()) return known(*found);
    return noted(Value(*found, object.path() + "/" + name));
  }

  Value indexed(const Node& node) {
    const Value object = of(*node.children[0]);
    const Value index = of(*node.children[1]);
    if (!object.is_known() || !index.is_known()) return {};
    if (index.json().is_string()) return member(object, index.json().get<std::string>());
    const auto place = as_number(index.json());
    if (!place || !object.json().is_array() || *place < 0) return {};
    return item(object, static_cast<std::size_t>(*place));
  }

  static Value item(const Value& list, std::size_t place) {
    if (place >= list.json().size()) return {};
    const Json& value = list.json()[place];
    if (value.is_null()) return {};
    if (list.path().empty()) return known(value);
    return Value(value, fmt::format("{}/{}", list.path(), place));
  }

  Value list(const Node& node) {
    Json items = Json::array();
    for (const auto& child : node.children) {
      const Value value = of(*child);
      if (!value.is_known()) return {};
      items.push_back(value.json());
    }
    return known(std::move(items));
  }

  static Value negated(const Value& value) {
    if (!value.is_known() || !value.json().is_boolean()) return {};
    return known(!value.json().get<bool>());
  }

  Value call(const Node& node) {
    const std::string& name = node.text;
    if (name == "has") return known(of(*node.children[0]).is_known());
    const bool is_over_items =
        name == "any" || name == "all" || name == "count" || name == "filter" || name == "map";
    if (is_over_items) return over_items(node);
    std::vector<Json> arguments;
    for (const auto& child : node.children) {
      const Value value = of(*child);
      if (!value.is_known()) return {};
      arguments.push_back(value.json());
    }
    auto answer = call_function(name, arguments);
    return answer ? known(*std::move(answer)) : Value();
  }

  // What is not known of an item is not counted, and left out of what map gives.
  Value over_items(const Node& node) {
    const Value list = of(*node.children[0]);
    if (!list.is_known() || !list.json().is_array()) return {};
    Json results = Json::array();
    std::int64_t count = 0;
    std::int64_t unknown = 0;
    for (std::size_t i = 0; i < list.json().size(); ++i) {
      items_.push_back(item(list, i));
      const Value value = of(*node.children[1]);
      if (node.text == "map" && value.is_known()) results.push_back(value.json());
      if (node.text == "filter" && is_true(value)) results.push_back(items_.back().json());
      count += is_true(value) ? 1 : 0;
      unknown += value.is_known() ? 0 : 1;
      items_.pop_back();
    }
    if (node.text == "map" || node.text == "filter") return known(std::move(results));
    if (node.text == "count") return known(count);
    if (node.text == "any") return known(count > 0);
    if (unknown > 0) return {};
    return known(count == static_cast<std::int64_t>(list.json().size()));
  }

  Value binary(const Node& node) {
    const std::string& name = node.text;
    const Value left = of(*node.children[0]);
    if (name == "and" && left.is_known() && !is_true(left)) return known(false);
    if (name == "or" && is_true(left)) return known(true);
    const Value right = of(*node.children[1]);
    if (name == "and" || name == "or") return joined(name, left, right);
    if (!left.is_known() || !right.is_known()) return {};
    if (name == "==") return known(are_equal(left.json(), right.json()));
    if (name == "!=") return known(!are_equal(left.json(), right.json()));
    if (name == "in") {
      const Json given[] = {right.json(), left.json()};
      auto answer = call_function("contains", given);
      return answer ? known(*std::move(answer)) : Value();
    }
    const auto one = as_number(left.json());
    const auto other = as_number(right.json());
    if (!one || !other) return {};
    return of_numbers(name, *one, *other);
  }

  static Value joined(const std::string& name, const Value& left, const Value& right) {
    if (name == "and" && right.is_known() && !is_true(right)) return known(false);
    if (name == "or" && is_true(right)) return known(true);
    if (!left.is_known() || !right.is_known()) return {};
    return known(name == "and" ? is_true(left) && is_true(right) : is_true(left) || is_true(right));
  }

  static Value of_numbers(const std::string& name, std::int64_t one, std::int64_t other) {
    if (name == "<") return known(one < other);
    if (name == "<=") return known(one <= other);
    if (name == ">") return known(one > other);
    if (name == ">=") return known(one >= other);
    std::int64_t result = 0;
    bool is_too_large = false;
    if (name == "+") is_too_large = __builtin_add_overflow(one, other, &result);
    if (name == "-") is_too_large = __builtin_sub_overflow(one, other, &result);
    if (name == "*") is_too_large = __builtin_mul_overflow(one, other, &result);
    if (name == "/" || name == "%") {
      if (other <= 0) return {};
      result = name == "/" ? one / other : one % other;
    }
    return is_too_large ? Value() : known(result);
  }

  const Scope& scope_;
  std::vector<Value> items_;
  std::vector<std::string> read_;
};

}  // namespace

Outcome evaluate(const Expression& expression, const Scope& scope) {
  Evaluator evaluator(scope);
  Value value = evaluator.of(expression.root());
  return {std::move(value), evaluator.take_read()};
}

std::string in_words(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) return base::to_text(json, base::JsonLayout::kOneLine);
  std::string words;
  for (const Json& item : json) {
    if (!words.empty()) words += ", ";
    words += in_words(item);
  }
  return words;
}

}  // namespace lockstep::rules
