// From a statement to what it changes and starts.
#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "shell/limits.h"
#include "shell/machine.h"

namespace lockstep::shell {
namespace {

bool is_statement(Node node) {
  return node.is_named() && !node.is("comment") && !node.is("heredoc_body") && !node.is("file_redirect") &&
         !node.is("heredoc_redirect") && !node.is("herestring_redirect");
}

// The files of "> FILE" and "< FILE".
bool is_output(Node redirect) {
  for (std::uint32_t i = 0; i < redirect.size(); ++i) {
    if (redirect[i].is(">") || redirect[i].is(">|")) return true;
  }
  return false;
}

}  // namespace

void Machine::note(const Place& place, std::string what) {
  if (!is_muted_) world_.note({place, std::move(what)});
}

bool Machine::is_spent() {
  if (++steps_ <= kMaxSteps && branches_ <= kMaxBranches) return false;
  if (!is_spent_noted_) world_.note({{}, "the script is too long to be followed to its end"});
  is_spent_noted_ = true;
  return true;
}

// Two ways through the script, of which the running shell takes one.
template <typename One, typename Other>
void Machine::either(One one, Other other) {
  if (++branches_ > kMaxBranches) return;
  const State before = state_;
  one();
  State first = std::move(state_);
  state_ = before;
  other();
  first.merge(state_);
  state_ = std::move(first);
}

Truth Machine::execute_range(Node parent, std::uint32_t from, std::uint32_t to) {
  Truth truth = true;
  for (std::uint32_t i = from; i < to && state_.stop == Stop::kNone; ++i) {
    const Node child = parent[i];
    if (!is_statement(child)) continue;
    const bool is_background = i + 1 < to && parent[i + 1].is("&");
    if (is_background) {
      execute_background(child);
      truth = true;
    } else {
      truth = execute(child);
    }
  }
  return truth;
}

Truth Machine::execute_all(Node list) {
  return execute_range(list, 0, list.size());
}

void Machine::execute_background(Node node) {
  if (++branches_ > kMaxBranches) return;
  State here = state_;
  const std::size_t begun = started_.size();
  execute(node);
  here.in_background.insert(here.in_background.end(), started_.begin() + static_cast<std::ptrdiff_t>(begun),
                            started_.end());
  state_ = std::move(here);
}

Truth Machine::execute(Node node) {
  if (state_.stop != Stop::kNone) return std::nullopt;
  if (is_spent()) return std::nullopt;
  if (++depth_ > kMaxDepth) {
    note(place_of(node), "is nested too deeply to be followed");
    --depth_;
    return std::nullopt;
  }
  const std::string_view kind = node.kind();
  Truth truth = true;
  if (kind == "command") {
    truth = execute_command(node);
  } else if (kind == "variable_assignment") {
    assign(node, state_, false);
  } else if (kind == "variable_assignments" || kind == "compound_statement" || kind == "program" ||
             kind == "do_group" || kind == "else_clause") {
    const bool is_arithmetic = node.size() > 0 && node[0].is("((");
    if (is_arithmetic) {
      const auto value = arithmetic_in(node);
      truth = value ? Truth(*value != 0) : Truth();
    } else {
      truth = execute_all(node);
    }
  } else if (kind == "declaration_command" || kind == "unset_command") {
    declare(node.size() > 0 ? node[0].text() : "", node);
  } else if (kind == "list") {
    truth = execute_list(node);
  } else if (kind == "pipeline") {
    truth = execute_pipeline(node);
  } else if (kind == "redirected_statement") {
    truth = execute_redirected(node);
  } else if (kind == "if_statement") {
    truth = execute_if(node);
  } else if (kind == "case_statement") {
    truth = execute_case(node);
  } else if (kind == "for_statement") {
    truth = execute_for(node);
  } else if (kind == "c_style_for_statement") {
    truth = execute_counted_for(node);
  } else if (kind == "while_statement") {
    truth = execute_while(node);
  } else if (kind == "function_definition") {
    const Node name = node.field("name");
    if (!name.is_null() && !node.field("body").is_null())
      state_.functions.insert_or_assign(std::string(name.text()), node);
  } else if (kind == "subshell") {
    if (++branches_ <= kMaxBranches) {
      State here = state_;
      truth = execute_all(node);
      if (state_.stop == Stop::kScript) truth = std::nullopt;
      here.in_background = state_.in_background;
      state_ = std::move(here);
    }
  } else if (kind == "negated_command") {
    for (std::uint32_t i = 0; i < node.size(); ++i) {
      if (is_statement(node[i])) truth = execute(node[i]);
    }
    if (truth) truth = !*truth;
  } else if (kind == "test_command") {
    truth = truth_of(node);
  } else if (kind == "ERROR") {
    note(
        place_of(node),
        fmt::format("cannot be read as shell text near '{}'",
                    base::trimmed(node.text().substr(0, std::min<std::size_t>(40, node.text().find('\n'))))));
    execute_all(node);
    truth = std::nullopt;
  } else {
    truth = std::nullopt;
  }
  --depth_;
  return truth;
}

// a && b, a || b. What is not a test is taken to succeed.
Truth Machine::execute_list(Node node) {
  Truth truth = true;
  std::string_view sign;
  for (std::uint32_t i = 0; i < node.size() && state_.stop == Stop::kNone; ++i) {
    const Node part = node[i];
    if (!part.is_named()) {
      sign = part.kind();
      continue;
    }
    if (!is_statement(part)) continue;
    const bool is_and = sign == "&&";
    if (sign.empty() || (truth && *truth == is_and)) {
      truth = execute(part);
    } else if (!truth) {
      Truth inner;
      either([&] { inner = execute(part); }, [] {});
      truth = std::nullopt;
    }
    // What is decided the other way is not carried out.
  }
  return truth;
}

Truth Machine::execute_pipeline(Node node) {
  if (++branches_ > kMaxBranches) return std::nullopt;
  const State before = state_;
  std::string* const outer = output_;
  const std::optional<std::string> outer_input = input_;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < node.size(); ++i) {
    if (is_statement(node[i])) last = i;
  }
  Truth truth;
  for (std::uint32_t i = 0; i < node.size(); ++i) {
    if (!is_statement(node[i])) continue;
    std::string output;
    output_ = i == last ? outer : &output;
    truth = execute(node[i]);
    const std::vector<int> in_background = state_.in_background;
    state_ = before;
    state_.in_background = in_background;
    input_ = output;
  }
  output_ = outer;
  input_ = outer_input;
  return truth;
}

Truth Machine::execute_redirected(Node node) {
  const std::optional<std::string> outer_input = input_;
  std::string* const outer = output_;
  std::string output;
  std::string file;
  Node pipeline = node.field("none");
  for (std::uint32_t i = 0; i < node.size(); ++i) {
    const Node part = node[i];
    if (part.is("heredoc_redirect")) {
      bool is_quoted = false;
      for (std::uint32_t k = 0; k < part.size(); ++k) {
        const Node inner = part[k];
        if (inner.is("heredoc_start"))
          is_quoted = inner.text().find_first_of("'\"\\") != std::string_view::npos;
        if (inner.is("heredoc_body"))
          input_ = is_quoted ? std::string(inner.text()) : text_of(inner, Quoting::kHereDocument).text;
        if (inner.is("pipeline")) pipeline = inner;
        if (inner.is("file_redirect") && is_output(inner)) file = text_of(inner.field("destination")).text;
      }
    } else if (part.is("herestring_redirect")) {
      for (std::uint32_t k = 0; k < part.size(); ++k) {
        if (part[k].is_named()) input_ = text_of(part[k]).text + "\n";
      }
    } else if (part.is("file_redirect")) {
      const Node destination = part.field("destination");
      const bool writes = is_output(part) && part[0].kind() != "file_descriptor";
      if (writes) file = text_of(destination).text;
      if (part.size() > 0 && part[0].is("<")) {
        const auto found = state_.files.find(text_of(destination).text);
        input_ = found == state_.files.end() ? open_part(destination.text()) : found->second;
      }
    }
  }
  if (!file.empty() || !pipeline.is_null()) output_ = &output;
  Truth truth = true;
  const Node body = node.field("body");
  if (!body.is_null()) truth = execute(body);
  output_ = outer;
  input_ = outer_input;
  if (!pipeline.is_null()) {
    input_ = output;
    truth = execute_pipeline(pipeline);
    input_ = outer_input;
  } else if (!file.empty() && !is_open(file) && file != "/dev/null" && state_.files.size() < 64) {
    state_.files[file] = output;
  }
  return truth;
}

// Between `then` and what follows it.
Truth Machine::execute_elses(Node node, std::uint32_t from) {
  for (std::uint32_t i = from; i < node.size(); ++i) {
    const Node part = node[i];
    if (part.is("else_clause")) return execute_all(part);
    if (!part.is("elif_clause")) continue;
    std::uint32_t then = 0;
    while (then < part.size() && !part[then].is("then")) ++then;
    const Truth condition = execute_range(part, 0, then);
    if (condition && *condition) return execute_range(part, then, part.size());
    if (condition) continue;
    either([&] { execute_range(part, then, part.size()); }, [&] { execute_elses(node, i + 1); });
    return std::nullopt;
  }
  return true;
}

Truth Machine::execute_if(Node node) {
  std::uint32_t then = 0;
  while (then < node.size() && !node[then].is("then")) ++then;
  std::uint32_t end = then;
  while (end < node.size() && !node[end].is("elif_clause") && !node[end].is("else_clause") &&
         !node[end].is("fi"))
    ++end;
  const Truth condition = execute_range(node, 0, then);
  if (state_.stop != Stop::kNone) return std::nullopt;
  if (condition && *condition) return execute_range(node, then, end);
  if (condition) return execute_elses(node, end);
  either([&] { execute_range(node, then, end); }, [&] { execute_elses(node, end); });
  return std::nullopt;
}

Truth Machine::execute_case(Node node) {
  const Word value = text_of(node.field("value"));
  // The ways from the item on, as a list of what may happen.
  const std::function<void(std::uint32_t)> from = [&](std::uint32_t first) {
    for (std::uint32_t i = first; i < node.size(); ++i) {
      const Node item = node[i];
      if (!item.is("case_item")) continue;
      Match match = Match::kNo;
      std::uint32_t body = 0;
      for (std::uint32_t k = 0; k < item.size() && body == 0; ++k) {
        if (item[k].is(")")) body = k + 1;
        if (!item[k].is_named() || body > 0) continue;
        const std::string pattern =
            item[k].is("extglob_pattern") ? std::string(item[k].text()) : text_of(item[k]).text;
        if (pattern == "*") {
          match = Match::kYes;
        } else if (is_open(value.text) || is_open(pattern)) {
          if (match == Match::kNo) match = Match::kUndecided;
        } else if (const Match this_one = matches_pattern(pattern, value.text); this_one != Match::kNo) {
          if (match != Match::kYes) match = this_one;
        }
      }
      if (match == Match::kNo) continue;
      if (match == Match::kYes) {
        execute_range(item, body, item.size());
        return;
      }
      either([&] { execute_range(item, body, item.size()); }, [&] { from(i + 1); });
      return;
    }
  };
  if (++depth_ < kMaxDepth) from(0);
  --depth_;
  return std::nullopt;
}

// A loop of which it is not known how often it runs: what a round changes is open, and one round is carried
// out.
void Machine::run_unknown_rounds(Node body, const std::vector<std::string>& variables) {
  if (body.is_null() || ++branches_ > kMaxBranches) return;
  const State before = state_;
  const auto open_all = [&] {
    for (const std::string& name : variables) state_.set(name, open_variable(name, place_of(body)));
  };
  const bool was_muted = std::exchange(is_muted_, true);
  open_all();
  execute_all(body);
  is_muted_ = was_muted;
  State widened = before;
  widened.widen(state_);
  state_ = widened;
  state_.stop = Stop::kNone;
  open_all();
  execute_all(body);
  const Stop stop = state_.stop;
  state_.stop = Stop::kNone;
  State after = std::move(state_);
  if (stop == Stop::kScript || stop == Stop::kFunction) {
    state_ = std::move(widened);  // it may not have run at all
    return;
  }
  widened.widen(after);
  state_ = std::move(widened);
}

Truth Machine::execute_for(Node node) {
  const std::string name(node.field("variable").text());
  const Node body = node.field("body");
  if (body.is_null() || name.empty()) return std::nullopt;
  std::vector<Word> items;
  bool has_list = false;
  for (std::uint32_t i = 0; i < node.size(); ++i) {
    has_list = has_list || node[i].is("in");
    if (node.field_of(i) != "value") continue;
    for (Word& word : words_of(node[i])) items.push_back(std::move(word));
  }
  bool is_known = items.size() <= static_cast<std::size_t>(kMaxRounds) && !node.is("select");
  if (!has_list) {
    items = state_.arguments;
    is_known = !state_.has_open_arguments;
  }
  for (const Word& item : items) is_known = is_known && !may_be_words(item.text);
  const std::string_view inside = body.text();
  if (inside.find("break") != std::string_view::npos) is_known = false;
  if (!is_known) {
    run_unknown_rounds(body, {name});
    return std::nullopt;
  }
  for (const Word& item : items) {
    if (state_.stop != Stop::kNone || is_spent()) break;
    state_.set(name, item);
    execute_all(body);
    if (state_.stop == Stop::kLoop) state_.stop = Stop::kNone;
  }
  return std::nullopt;
}

Truth Machine::execute_counted_for(Node node) {
  const Node body = node.field("body");
  std::string parts[3];
  int part = 0;
  for (std::uint32_t i = 0; i < node.size() && part < 3; ++i) {
    if (node[i].is("))")) break;
    if (node[i].is(";")) {
      ++part;
    } else if (!node[i].is("for") && !node[i].is("((")) {
      parts[part] += text_of(node[i], Quoting::kHereDocument).text;
    }
  }
  const std::string changed[] = {std::string(name_at_start(parts[0])),
                                 std::string(name_at_start(parts[2].substr(
                                     std::min(parts[2].find_first_not_of("+- "), parts[2].size()))))};
  std::vector<std::string> names;
  for (const std::string& name : changed) {
    if (!name.empty()) names.push_back(name);
  }
  arithmetic(parts[0]);
  bool is_known = body.is_null() || body.text().find("break") == std::string_view::npos;
  // Whether all rounds are known is found out before anything is started.
  const State before = state_;
  int rounds = 0;
  for (; is_known && rounds <= kMaxRounds; ++rounds) {
    const auto goes_on = arithmetic(parts[1]);
    if (!goes_on) is_known = false;
    if (!goes_on || *goes_on == 0) break;
    arithmetic(parts[2]);
  }
  state_ = before;
  if (!is_known || rounds > kMaxRounds) {
    run_unknown_rounds(body, names);
    return std::nullopt;
  }
  for (int i = 0; i < rounds && state_.stop == Stop::kNone && !is_spent(); ++i) {
    execute_all(body);
    if (state_.stop == Stop::kLoop) state_.stop = Stop::kNone;
    arithmetic(parts[2]);
  }
  return std::nullopt;
}

Truth Machine::execute_while(Node node) {
  const Node body = node.field("body");
  if (body.is_null()) return std::nullopt;
  std::uint32_t last = 0;
  while (last < node.size() && node.field_of(last) != "body") ++last;
  const bool is_until = node.size() > 0 && node[0].is("until");
  const bool was_muted = std::exchange(is_muted_, true);
  const State before = state_;
  const Truth condition = execute_range(node, 1, last);
  is_muted_ = was_muted;
  state_ = before;
  if (condition && *condition == is_until) return std::nullopt;
  // `while read A B` and the like change variables in the condition.
  std::vector<std::string> read;
  for (std::uint32_t i = 1; i < last; ++i) {
    if (!node[i].is("command") || !node[i].text().starts_with("read")) continue;
    for (const std::string& word : split_at_blanks(node[i].text())) {
      if (word != "read" && name_at_start(word) == word) read.push_back(word);
    }
  }
  run_unknown_rounds(body, read);
  return std::nullopt;
}

void Machine::run_text(std::string text, const Place& place, bool is_whole_file) {
  if (trees_.size() > 256) return note(place, "starts too many scripts inside each other");
  auto tree = Tree::parse(with_placeholders(text), place.file, is_whole_file ? 1 : place.line);
  if (!tree) return note(place, "is too long or too tangled to be read as shell text");
  trees_.push_back(std::move(tree));
  execute(trees_.back()->root());
}

Machine::Machine(const World& world, const Script& script) : world_(world), name_(script.name) {
  for (const auto& [name, value] : script.variables) {
    Variable& variable = state_.set(name, value);
    variable.is_exported = true;
  }
  if (script.arguments) {
    state_.arguments = *script.arguments;
    state_.has_open_arguments = false;
  }
}

void Machine::run(const Script& script) {
  auto tree = Tree::parse(with_placeholders(script.text), script.place.file, script.place.line);
  if (!tree) return note(script.place, "is too long or too tangled to be read as shell text");
  trees_.push_back(std::move(tree));
  execute(trees_.back()->root());
}

std::vector<std::string> Machine::line_words(std::string_view line) {
  // As the arguments of a command.
  auto tree = Tree::parse("x " + without_control_characters(line), "", 0);
  if (!tree) return {};
  trees_.push_back(std::move(tree));
  Node node = trees_.back()->root();
  while (!node.is_null() && !node.is("command") && node.size() > 0) node = node[0];
  std::vector<std::string> words;
  for (std::uint32_t i = 0; node.is("command") && i < node.size(); ++i) {
    if (!node[i].is_named() || node[i].is("command_name") || node[i].is("comment")) continue;
    for (const Word& word : words_of(node[i])) words.push_back(word.text);
  }
  return words;
}

WordsByName interpret(const Script& script, const World& world) {
  Machine machine(world, script);
  machine.run(script);
  return machine.exported();
}

std::vector<std::string> words_of_line(std::string_view line) {
  const World nobody{.variable = [](const std::string&) { return Outer{}; },
                     .file = [](const std::string&) { return std::nullopt; },
                     .start = [](const Command&) { return std::vector<int>{}; },
                     .note = [](const Note&) {}};
  return Machine(nobody, Script{}).line_words(line);
}

}  // namespace lockstep::shell
