#include "check/rules/evaluate.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "check/rules/functions.h"

namespace lockstep::rules {
namespace {

using base::Json;

class Evaluator {
 public:
  Evaluator(const Scope& scope, bool notes_paths) : scope_(scope), notes_paths_(notes_paths) {}

  Value of(const Node& node) {
    switch (node.kind) {
      case NodeKind::kLiteral:
        return Value(node.literal, {});
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
      case NodeKind::kBinary:
        return binary(node);
    }
    return {};
  }

  std::vector<std::string> take_read() { return std::move(read_); }

 private:
  static Value known(Json json) { return Value(std::move(json)); }

  Value noted(Value value) {
    if (!notes_paths_) return value;
    const bool is_leaf = value.is_known() && !value.path().empty() && !value.json().is_object();
    if (is_leaf && std::ranges::find(read_, value.path()) == read_.end()) read_.push_back(value.path());
    return value;
  }

  Value named(const std::string& name) {
    for (auto inner = items_.rbegin(); inner != items_.rend() && name == "it"; ++inner) return noted(*inner);
    for (const auto& [known_name, value] : scope_.names) {
      if (known_name == name) return notes_paths_ ? noted(value) : Value(value.json(), {});
    }
    if (scope_.launch == nullptr || !scope_.launch->is_object()) return {};
    const auto found = scope_.launch->find(name);
    if (found == scope_.launch->end() || found->is_null()) return {};
    return noted(Value(*found, notes_paths_ ? name : std::string()));
  }

  Value member(const Value& object, const std::string& name) {
    if (!object.is_known() || !object.json().is_object()) return {};
    const auto found = object.json().find(name);
    if (found == object.json().end() || found->is_null()) return {};
    if (!object.is_part()) return known(*found);
    if (object.path().empty()) return Value(*found, {});
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
    const Value found = item_of_kept(list, place);
    return list.is_part() || !found.is_known() ? found : known(found.json());
  }

  // Of a list that stays where it is while the item is looked at.
  static Value item_of_kept(const Value& list, std::size_t place) {
    if (place >= list.json().size()) return {};
    const Json& value = list.json()[place];
    if (value.is_null()) return {};
    return Value(value, list.path().empty() ? std::string() : fmt::format("{}/{}", list.path(), place));
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
    if (node.form == Form::kHas) {
      if (of(*node.children[0]).is_known()) return known(true);
      return could_be_set(*node.children[0]) ? Value() : known(false);
    }
    if (node.form != Form::kFunction) return over_items(node);
    if (node.pattern) return matched(of(*node.children[0]), *node.pattern);
    std::vector<Value> arguments;
    arguments.reserve(node.children.size());
    for (const auto& child : node.children) {
      arguments.push_back(of(*child));
      if (!arguments.back().is_known()) return {};
    }
    return computed(call_function(node.function, Arguments(arguments)));
  }

  // What is not there, but only because nobody can know it before the job runs: `raw` has it, or more of its
  // section is `open` than could be read.
  bool could_be_set(const Node& node) const {
    std::vector<std::string> path;
    const Node* at = &node;
    for (; at->kind == NodeKind::kMember || at->kind == NodeKind::kIndex; at = at->children[0].get()) {
      const bool is_member = at->kind == NodeKind::kMember;
      if (!is_member && !at->children[1]->literal.is_string()) return false;
      path.push_back(is_member ? at->text : at->children[1]->literal.get<std::string>());
    }
    if (at->kind != NodeKind::kName) return false;
    const Json* launch = scope_.launch;
    if (at->text == "it") {
      if (items_.empty()) return false;
      launch = &items_.back().json();
    } else {
      path.push_back(at->text);
    }
    if (launch == nullptr || !launch->is_object() || path.size() < 2) return false;
    const auto open = launch->find("open");
    if (open != launch->end() && open->is_object() && open->contains(path.back())) return true;
    const auto raw = launch->find("raw");
    const Json* inside = raw == launch->end() ? nullptr : &*raw;
    for (auto part = path.rbegin(); inside != nullptr && part != path.rend(); ++part) {
      const bool is_there = inside->is_object() && inside->contains(*part);
      inside = is_there ? &(*inside)[*part] : nullptr;
    }
    return inside != nullptr;
  }

  static Value computed(std::optional<Json> answer) { return answer ? known(*std::move(answer)) : Value(); }

  static Value matched(const Value& value, const base::Regex& pattern) {
    const auto text = value.is_known() ? as_text(value.json()) : std::nullopt;
    return text ? known(pattern.found_in(*text)) : Value();
  }

  // What is not known of an item is not counted, and left out of what map gives.
  Value over_items(const Node& node) {
    const Value list = of(*node.children[0]);
    if (!list.is_known() || !list.json().is_array()) return {};
    Json results = Json::array();
    std::int64_t count = 0;
    std::int64_t unknown = 0;
    for (std::size_t i = 0; i < list.json().size(); ++i) {
      items_.push_back(item_of_kept(list, i));
      const Value value = of(*node.children[1]);
      if (node.form == Form::kMap && value.is_known()) results.push_back(value.json());
      if (node.form == Form::kFilter && is_true(value)) results.push_back(items_.back().json());
      count += is_true(value) ? 1 : 0;
      unknown += value.is_known() ? 0 : 1;
      items_.pop_back();
    }
    if (node.form == Form::kMap || node.form == Form::kFilter) return known(std::move(results));
    if (node.form == Form::kCount) return known(count);
    if (node.form == Form::kAny) return known(count > 0);
    if (unknown > 0) return {};
    return known(count == static_cast<std::int64_t>(list.json().size()));
  }

  Value binary(const Node& node) {
    const Operator operation = node.operation;
    const Value left = of(*node.children[0]);
    if (operation == Operator::kAnd && left.is_known() && !is_true(left)) return known(false);
    if (operation == Operator::kOr && is_true(left)) return known(true);
    const Value right = of(*node.children[1]);
    if (operation == Operator::kAnd || operation == Operator::kOr) return joined(operation, left, right);
    if (!left.is_known() || !right.is_known()) return {};
    if (operation == Operator::kEqual) return known(are_equal(left.json(), right.json()));
    if (operation == Operator::kUnequal) return known(!are_equal(left.json(), right.json()));
    if (operation == Operator::kIn) {
      const Value given[] = {right, left};
      return computed(contains(Arguments(given)));
    }
    const auto one = as_number(left.json());
    const auto other = as_number(right.json());
    if (!one || !other) return {};
    return of_numbers(operation, *one, *other);
  }

  static Value joined(Operator operation, const Value& left, const Value& right) {
    const bool is_and = operation == Operator::kAnd;
    if (is_and && right.is_known() && !is_true(right)) return known(false);
    if (!is_and && is_true(right)) return known(true);
    if (!left.is_known() || !right.is_known()) return {};
    return known(is_and ? is_true(left) && is_true(right) : is_true(left) || is_true(right));
  }

  static Value of_numbers(Operator operation, std::int64_t one, std::int64_t other) {
    std::int64_t result = 0;
    bool is_too_large = false;
    switch (operation) {
      case Operator::kBelow:
        return known(one < other);
      case Operator::kAtMost:
        return known(one <= other);
      case Operator::kAbove:
        return known(one > other);
      case Operator::kAtLeast:
        return known(one >= other);
      case Operator::kPlus:
        is_too_large = __builtin_add_overflow(one, other, &result);
        break;
      case Operator::kMinus:
        is_too_large = __builtin_sub_overflow(one, other, &result);
        break;
      case Operator::kTimes:
        is_too_large = __builtin_mul_overflow(one, other, &result);
        break;
      default:
        if (other <= 0) return {};
        result = operation == Operator::kDividedBy ? one / other : one % other;
    }
    return is_too_large ? Value() : known(result);
  }

  const Scope& scope_;
  const bool notes_paths_;
  std::vector<Value> items_;
  std::vector<std::string> read_;
};

}  // namespace

Outcome evaluate(const Expression& expression, const Scope& scope) {
  Evaluator evaluator(scope, true);
  Value value = evaluator.of(expression.root());
  return {std::move(value), evaluator.take_read()};
}

Value value_of(const Expression& expression, const Scope& scope) {
  return Evaluator(scope, false).of(expression.root());
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
