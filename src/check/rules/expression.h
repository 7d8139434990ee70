// The language of a rule's condition:
//
//   torchrun.nnodes > 1 and is_loopback(torchrun.rdzv_host)
//   any(host.interfaces, it.name == "docker0") and not has(env.NCCL_SOCKET_IFNAME)
//
// Names are paths into the values around the rule (Scope). Words: and or not in, == != < <= > >=, + - * / %,
// texts in quotes, numbers, true, false, [lists], a[i], a["key"], f(x). any, all, count, filter and map take
// a list and an expression in which `it` is the item. docs/formats/catalogue.md lists the functions.
//
// A text that is a number is one where a number is asked for. What is not known makes the expression not
// known, except: has(x) asks just that; `and` is false and `or` true if one side decides it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/text_search/regex.h"

namespace lockstep::rules {

// What an expression of a rule has as its value: a part of the configuration or of the facts, or something
// computed. Not known is a value too: whatever is asked of it is not known either, so a rule stays silent.
class Value {
 public:
  Value() = default;  // not known
  explicit Value(base::Json computed) : own_(std::move(computed)), is_known_(true) {}
  Value(const base::Json& part, std::string path) : part_(&part), path_(std::move(path)), is_known_(true) {}

  bool is_known() const { return is_known_; }
  bool is_part() const { return part_ != nullptr; }
  const base::Json& json() const { return part_ != nullptr ? *part_ : own_; }
  const std::string& path() const { return path_; }  // of a part; empty: computed, or nobody wants to know

 private:
  const base::Json* part_ = nullptr;
  base::Json own_;
  std::string path_;
  bool is_known_ = false;
};

enum class NodeKind : std::uint8_t {
  kLiteral,
  kName,
  kMember,  // children: object; `text`: name
  kIndex,   // children: object, index
  kList,
  kCall,
  kNot,
  kBinary,
};

enum class Operator : std::uint8_t {
  kOr,
  kAnd,
  kEqual,
  kUnequal,
  kAtMost,
  kAtLeast,
  kBelow,
  kAbove,
  kIn,
  kPlus,
  kMinus,
  kTimes,
  kDividedBy,
  kModulo,
};

// Calls that do not take plain values.
enum class Form : std::uint8_t { kFunction, kHas, kAny, kAll, kCount, kFilter, kMap };

struct Node {
  NodeKind kind = NodeKind::kLiteral;
  std::string text = {};
  base::Json literal = {};
  std::vector<std::unique_ptr<Node>> children = {};
  Operator operation = Operator::kOr;       // of kBinary
  Form form = Form::kFunction;              // of kCall
  std::size_t function = 0;                 // of kCall: its place among the functions
  std::optional<base::Regex> pattern = {};  // of matches(), where it is a text in quotes
};

class Expression {
 public:
  // `where` names the rule in the error.
  static Result<Expression> parse(std::string_view text, std::string_view where);

  const Node& root() const { return *root_; }

 private:
  explicit Expression(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

  std::shared_ptr<const Node> root_;
};

}  // namespace lockstep::rules
