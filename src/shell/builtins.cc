// Assignments, and commands: functions, what the shell itself carries out, and programs that it starts.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "shell/limits.h"
#include "shell/machine.h"

namespace lockstep::shell {
namespace {

// Files that prepare a shell and set no variable of the job: read or not, nothing changes.
bool prepares_a_shell(std::string_view path) {
  for (const char* end : {"activate", "bashrc", "profile", "conda.sh", "setvars.sh", "vars.sh", "modules.sh",
                          "lmod.sh", "init.sh", "init/bash", "init/sh", "init/profile"}) {
    if (path.ends_with(end)) return true;
  }
  for (const char* begin : {"/etc/", "/usr/", "/opt/", "activate"}) {
    if (path.starts_with(begin)) return true;
  }
  return false;
}

bool says_nothing(std::string_view name) {
  constexpr std::string_view kNames[] = {"shopt", "trap",   "ulimit", "umask",  "alias", "unalias",
                                         "type",  "hash",   "jobs",   "kill",   "cd",    "pushd",
                                         "popd",  "disown", "bind",   "ulimit", "times", "enable"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// What printf makes of "%s" and "%d"; nothing for other directives.
std::optional<std::string> printed(std::span<const Word> words) {
  if (words.empty()) return "";
  const std::string& format = words.front().text;
  std::string text;
  std::size_t next = 1;
  do {
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] == '\\' && i + 1 < format.size()) {
        const char letter = format[++i];
        if (letter != 'n' && letter != 't' && letter != '\\') return std::nullopt;
        text += letter == 'n' ? '\n' : letter == 't' ? '\t' : '\\';
      } else if (format[i] == '%' && i + 1 < format.size()) {
        const char letter = format[++i];
        if (letter == '%') {
          text += '%';
        } else if (letter == 's' || letter == 'd') {
          text += next < words.size() ? words[next].text : std::string(letter == 'd' ? "0" : "");
          ++next;
        } else {
          return std::nullopt;
        }
      } else {
        text += format[i];
      }
    }
    if (text.size() > kMaxWordBytes) return std::nullopt;
  } while (next > 1 && next < words.size());
  return text;
}

}  // namespace

std::vector<Word> Machine::array_items(Node array, bool& has_more) {
  std::vector<Word> items;
  for (std::uint32_t i = 0; i < array.size() && items.size() < kMaxWords;) {
    if (!array[i].is_named() || array[i].is("comment")) {
      ++i;
      continue;
    }
    for (Word& word : words_from(array, i)) items.push_back(std::move(word));
  }
  if (array.has_error()) has_more = true;
  return items;
}

void Machine::assign(Node node, State& state, bool exports) {
  const Node left = node.field("name");
  const Node value = node.field("value");
  if (left.is_null()) return;
  bool adds = false;
  for (std::uint32_t i = 0; i < node.size(); ++i) adds = adds || node[i].is("+=");
  const Place place = place_of(node);
  if (left.is("subscript")) {
    const std::string name(left.field("name").text());
    const Node index_node = left.field("index");
    const auto index = index_node.is_null() ? std::nullopt : arithmetic(text_of(index_node).text);
    const Word text = text_of(value);
    Variable& variable = state.at(name);
    variable.is_array = true;
    variable.is_unset = false;
    if (!index || *index < 0 || *index > static_cast<std::int64_t>(variable.items.size()) || adds) {
      variable.items.clear();
      variable.has_more = true;
    } else if (*index == static_cast<std::int64_t>(variable.items.size())) {
      variable.items.push_back(text);
    } else {
      variable.items[static_cast<std::size_t>(*index)] = text;
    }
    return;
  }
  const std::string name(left.text());
  if (value.is("array")) {
    bool has_more = false;
    std::vector<Word> items = array_items(value, has_more);
    Variable& variable = state.at(name);
    if (adds && !variable.is_unset) {
      has_more = has_more || variable.has_more;
      const bool was_unknown = variable.items.empty() && !variable.is_array;
      if (was_unknown) variable.items = {};
      items.insert(items.begin(), variable.items.begin(), variable.items.end());
    }
    variable.is_array = true;
    variable.is_unset = false;
    variable.has_more = has_more || items.size() >= kMaxWords;
    variable.items = std::move(items);
    if (exports) variable.is_exported = true;
    return;
  }
  Word text = value.is_null() ? Word{"", place, {}} : text_of(value);
  // The value stands where it is assigned, whatever went into it.
  text.place = place;
  if (adds) {
    const Variable* const before = state.find(name);
    if (before != nullptr && before->is_array) {
      state.at(name).has_more = true;
      return;
    }
    const std::string old = value_of(name, fmt::format("${}", name), place).text;
    text.text =
        old.size() + text.text.size() > kMaxWordBytes ? open_part(fmt::format("${}", name)) : old + text.text;
  }
  Variable& variable = state.set(name, std::move(text));
  if (exports) variable.is_exported = true;
  // A variable that the caller exports stays exported.
  if (!exports && !variable.is_exported) {
    const Outer outer = world_.variable(name);
    variable.is_exported = outer.kind == Outer::Kind::kKnown;
  }
}

void Machine::set_exported(const std::string& name) {
  if (name.empty()) return;
  const Place nowhere;
  if (const Variable* const known = state_.find(name); known != nullptr) {
    state_.at(name).is_exported = true;
    return;
  }
  const Outer outer = world_.variable(name);
  if (outer.kind == Outer::Kind::kUnset) {
    Variable& later = state_.at(name);  // as soon as it has a value
    later.is_unset = later.is_exported = true;
    return;
  }
  state_.set(name, outer.kind == Outer::Kind::kKnown ? outer.value : open_variable(name, nowhere))
      .is_exported = true;
}

// export, declare, local, readonly, typeset, unset.
void Machine::declare(std::string_view word, Node command) {
  bool exports = word == "export";
  bool is_array = false;
  const bool unsets = word == "unset" || word == "unsetenv";
  const bool is_local =
      state_.locals != nullptr && (word == "local" || word == "declare" || word == "typeset");
  for (std::uint32_t i = 1; i < command.size(); ++i) {
    const Node part = command[i];
    if (!part.is_named() || part.is("comment")) continue;
    if (part.is("variable_assignment")) {
      const Node left = part.field("name");
      if (is_local && !left.is_null()) state_.locals->emplace_back(left.text());
      assign(part, state_, exports);
      continue;
    }
    for (const Word& given : words_of(part)) {
      const std::string& text = given.text;
      if (text.starts_with('-') || text.starts_with('+')) {
        exports = exports || (text.find('x') != std::string::npos && text.front() == '-');
        is_array = is_array || text.find_first_of("aA") != std::string::npos;
        if (word == "export" && text == "-n") exports = false;
        continue;
      }
      const std::string name(name_at_start(text));
      if (name.empty()) continue;
      if (is_local) state_.locals->push_back(name);
      if (unsets) {
        Variable& variable = state_.at(name);
        variable = Variable{};
        variable.is_unset = true;
        state_.functions.erase(name);
      } else if (const std::size_t equals = text.find('='); equals != std::string::npos) {
        state_.set(name, {text.substr(equals + 1), given.place, {}}).is_exported = exports;
      } else if (exports) {
        set_exported(name);
      } else if (is_array || word == "local" || word == "declare") {
        if (state_.find(name) == nullptr || is_local) {
          Variable& variable = state_.at(name);
          variable.items.clear();
          variable.is_array = is_array;
          variable.has_more = false;
        }
      }
    }
  }
}

Truth Machine::execute_command(Node node) {
  WordsByName for_it;
  std::vector<Word> words;
  std::vector<Node> assignments;
  std::optional<std::string> input = input_;
  for (std::uint32_t i = 0; i < node.size(); ++i) {
    const Node part = node[i];
    if (part.is("variable_assignment") && words.empty()) {
      assignments.push_back(part);
    } else if (part.is("herestring_redirect")) {
      for (std::uint32_t k = 0; k < part.size(); ++k) {
        if (part[k].is_named()) input = text_of(part[k]).text + "\n";
      }
    } else if (part.is("command_name")) {
      if (part.size() > 0 && part[0].is("arithmetic_expansion")) {
        const auto value = arithmetic_in(part[0]);
        return value ? Truth(*value != 0) : Truth();
      }
      for (std::uint32_t k = 0; k < part.size(); ++k) {
        for (Word& word : words_of(part[k])) words.push_back(std::move(word));
      }
    } else if (part.is_named() && !part.is("file_redirect") && !part.is("heredoc_redirect") &&
               !part.is("comment")) {
      for (Word& word : words_from(node, i)) {
        if (words.size() < kMaxWords) words.push_back(std::move(word));
      }
      --i;  // the loop steps over the last one
    }
  }
  if (words.empty()) {
    for (const Node& assignment : assignments) assign(assignment, state_, false);
    return true;
  }
  for (const Node& assignment : assignments) {
    State aside;
    const Node left = assignment.field("name");
    if (left.is_null() || left.is("subscript")) continue;
    Word value = text_of(assignment.field("value"));
    value.place = place_of(assignment);
    for_it[std::string(left.text())] = std::move(value);
  }
  std::swap(input_, input);
  const auto done = builtin(words, for_it, node);
  const Truth truth = done ? *done : start(std::move(words), for_it, input_);
  std::swap(input_, input);
  return truth;
}

Truth Machine::call_function(Node function, std::span<const Word> words) {
  const Node body = function.field("body");
  if (body.is_null() || ++depth_ > kMaxDepth) {
    --depth_;
    return std::nullopt;
  }
  std::vector<Word> outer_arguments = std::move(state_.arguments);
  const bool had_open_arguments = state_.has_open_arguments;
  state_.arguments.assign(words.begin() + 1, words.end());
  state_.has_open_arguments =
      std::ranges::any_of(state_.arguments, [](const Word& word) { return may_be_words(word.text); });
  if (state_.has_open_arguments) state_.arguments.clear();
  std::vector<std::string> locals;
  std::vector<std::string>* const outer_locals = std::exchange(state_.locals, &locals);
  const Variables before = state_.variables;
  const Truth truth = execute(body);
  for (const std::string& name : locals) {
    const auto old = before.find(name);
    if (old == before.end()) {
      state_.variables.erase(name);
    } else {
      state_.variables[name] = old->second;
    }
  }
  state_.locals = outer_locals;
  state_.arguments = std::move(outer_arguments);
  state_.has_open_arguments = had_open_arguments;
  if (state_.stop == Stop::kFunction) state_.stop = Stop::kNone;
  --depth_;
  return truth;
}

void Machine::print(std::string_view text) {
  if (output_ == nullptr) return;
  if (output_->size() + text.size() > kMaxWordBytes) {
    *output_ = open_part("output");
    return;
  }
  *output_ += text;
}

std::optional<std::string> Machine::known_output(std::span<const Word> words) {
  const std::string& name = words.front().text;
  if (name == "cat" && words.size() == 1) return input_;
  if (name == "pwd" || words.size() < 2) return std::nullopt;
  const std::string& last = words.back().text;
  const std::string& first = words[1].text;
  if (is_open(last) || is_open(first)) return std::nullopt;
  const std::filesystem::path path(first);
  if (name == "dirname" && words.size() == 2)
    return path.has_parent_path() ? path.parent_path().string() : std::string(".");
  if (name == "basename" && words.size() == 2) return path.filename().string();
  if ((name == "realpath" || name == "readlink") && last == name_) return last;
  if (name == "expr") {
    std::string expression;
    for (const Word& word : words.subspan(1)) expression += " " + word.text;
    if (const auto value = arithmetic(expression)) return std::to_string(*value);
  }
  return std::nullopt;
}

void Machine::change_options(std::span<const Word> words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text == "--" || (!text.starts_with('-') && !text.starts_with('+'))) {
      const std::span<const Word> given = words.subspan(i + (text == "--" ? 1 : 0));
      state_.arguments.assign(given.begin(), given.end());
      state_.has_open_arguments =
          std::ranges::any_of(state_.arguments, [](const Word& word) { return may_be_words(word.text); });
      if (state_.has_open_arguments) state_.arguments.clear();
      return;
    }
    if (text.find('a') != std::string::npos && text.find("pipefail") == std::string::npos && text.size() <= 6)
      state_.exports_all = text.front() == '-';
    if (text.ends_with('o')) {
      if (i + 1 < words.size() && words[i + 1].text == "allexport") state_.exports_all = text.front() == '-';
      ++i;
    }
  }
}

Truth Machine::read_variables(std::span<const Word> words) {
  std::vector<std::string> names;
  bool is_array = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text == "-p" || text == "-d" || text == "-t" || text == "-n" || text == "-u") {
      ++i;
    } else if (text.starts_with('-')) {
      is_array = is_array || text.find('a') != std::string::npos;
    } else if (!name_at_start(text).empty()) {
      names.emplace_back(name_at_start(text));
    }
  }
  const Place place = words.front().place;
  std::vector<std::string> fields;
  const bool is_known = input_ && !is_open(*input_) && input_->find('\n') == input_->size() - 1;
  if (is_known) fields = split_at_blanks(*input_);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_array || !is_known) {
      Variable& variable = state_.set(names[i], open_variable(names[i], place));
      if (!is_array) continue;
      variable.is_array = true;
      variable.has_more = !is_known;
      variable.items.clear();
      for (const std::string& field : fields) variable.items.push_back({field, place, {}});
      continue;
    }
    std::string value = i < fields.size() ? fields[i] : "";
    for (std::size_t k = i + 1; i + 1 == names.size() && k < fields.size(); ++k) value += " " + fields[k];
    state_.set(names[i], {value, place, {}});
  }
  return is_known ? Truth(true) : Truth();
}

void Machine::source(std::span<const Word> words, const Place& place) {
  if (words.size() < 2) return;
  const std::string path = words[1].text;
  const auto written = state_.files.find(path);
  std::optional<std::string> text;
  if (written != state_.files.end()) {
    text = written->second;
  } else if (!is_open(path)) {
    text = world_.file(path);
  }
  if (prepares_a_shell(path) && !(text && text->size() < 4096 && !path.ends_with("activate"))) return;
  if (text && !is_open(*text)) {
    run_text(*text, {path, 1}, true);
    if (state_.stop == Stop::kFunction) state_.stop = Stop::kNone;
    return;
  }
  note(place, fmt::format("sources {}, which is not there: what it sets is open", as_written(path)));
  for (auto& [name, variable] : state_.variables) {
    if (variable.is_array) {
      variable.has_more = true;
    } else {
      variable.items = {open_variable(name, place)};
      variable.is_unset = false;
    }
  }
}

// Nothing: it is a program.
std::optional<Truth> Machine::builtin(std::vector<Word>& words, const WordsByName& for_it, Node node) {
  while (words.size() > 1 && (words.front().text == "command" || words.front().text == "builtin" ||
                              words.front().text == "time")) {
    if (words[1].text.starts_with('-') && words.front().text != "time") return Truth();
    words.erase(words.begin(), words.begin() + (words[1].text.starts_with('-') ? 2 : 1));
    if (words.empty()) return Truth(true);
  }
  const std::string name = words.front().text;
  const Place place = place_of(node);
  if (const auto function = state_.functions.find(name); function != state_.functions.end()) {
    const Node body = function->second;
    const Variables before = for_it.empty() ? Variables{} : state_.variables;
    for (const auto& [variable, value] : for_it) state_.set(variable, value).is_exported = true;
    const Truth truth = call_function(body, words);
    for (const auto& [variable, value] : for_it) {
      const auto old = before.find(variable);
      if (old == before.end()) {
        state_.variables.erase(variable);
      } else {
        state_.variables[variable] = old->second;
      }
    }
    return truth;
  }
  if (name == ":" || name == "true") return Truth(true);
  if (name == "false") return Truth(false);
  if (name == "[" || name == "test") {
    std::span<const Word> asked(words);
    asked = asked.subspan(1);
    if (name == "[" && !asked.empty()) asked = asked.first(asked.size() - 1);
    return truth_of_words(asked);
  }
  if (name == "exit") {
    state_.stop = Stop::kScript;
    return Truth();
  }
  if (name == "return") {
    state_.stop = Stop::kFunction;
    return words.size() > 1 && words[1].text == "1"   ? Truth(false)
           : words.size() > 1 && words[1].text == "0" ? Truth(true)
                                                      : Truth();
  }
  if (name == "break" || name == "continue") {
    state_.stop = Stop::kLoop;
    return Truth();
  }
  if (name == "shift") {
    const auto count =
        words.size() > 1 ? base::number_in<std::size_t>(words[1].text) : std::optional<std::size_t>(1);
    if (!count || *count > state_.arguments.size()) {
      state_.has_open_arguments = state_.has_open_arguments || !count;
      if (!count) state_.arguments.clear();
    } else {
      state_.arguments.erase(state_.arguments.begin(),
                             state_.arguments.begin() + static_cast<std::ptrdiff_t>(*count));
    }
    return Truth(true);
  }
  if (name == "export" || name == "declare" || name == "local" || name == "readonly" || name == "typeset" ||
      name == "unset") {
    declare(name, node);
    return Truth(true);
  }
  if (name == "set") {
    change_options(words);
    return Truth(true);
  }
  if (name == "let") {
    Truth truth;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto value = arithmetic(words[i].text);
      truth = value ? Truth(*value != 0) : Truth();
    }
    return truth;
  }
  if (name == "read") return read_variables(words);
  if (name == "mapfile" || name == "readarray") {
    if (words.size() > 1 && !name_at_start(words.back().text).empty()) {
      Variable& variable = state_.set(words.back().text, {});
      variable.is_array = variable.has_more = true;
      variable.items.clear();
    }
    return Truth();
  }
  if (name == "getopts") {
    if (words.size() > 2) state_.set(words[2].text, open_variable(words[2].text, place));
    state_.set("OPTARG", open_variable("OPTARG", place));
    return Truth();
  }
  if (name == "wait") {
    state_.in_background.clear();
    return Truth(true);
  }
  if (name == "eval") {
    std::string text;
    for (std::size_t i = 1; i < words.size(); ++i) text += (i > 1 ? " " : "") + words[i].text;
    run_text(text, place, false);
    return Truth();
  }
  if (name == "source" || name == ".") {
    source(words, place);
    return Truth();
  }
  if (name == "echo" || name == "printf") {
    if (output_ == nullptr) return Truth(true);
    std::string text;
    if (name == "printf") {
      const auto made = printed(std::span(words).subspan(1));
      text = made ? *made : open_part("printf");
    } else {
      std::size_t first = 1;
      while (first < words.size() && (words[first].text == "-n" || words[first].text == "-e")) ++first;
      for (std::size_t i = first; i < words.size(); ++i) text += (i > first ? " " : "") + words[i].text;
      text += "\n";
    }
    print(text);
    return Truth(true);
  }
  if (name == "exec") {
    if (words.size() == 1) return Truth(true);
    words.erase(words.begin());
    const Truth truth = start(words, for_it, input_);
    state_.stop = Stop::kScript;
    return truth;
  }
  if (output_ != nullptr) {
    if (const auto known = known_output(words)) {
      print(*known);
      return Truth(true);
    }
  }
  if (says_nothing(name)) return Truth(name == "cd" ? Truth(true) : Truth());
  return std::nullopt;
}

WordsByName Machine::exported() const {
  WordsByName variables;
  for (const auto& [name, variable] : state_.variables) {
    const bool is_given = variable.is_exported || variable.may_be_exported;
    if (!is_given || variable.is_unset || variable.is_array || variable.items.empty()) continue;
    variables[name] =
        variable.is_exported ? variable.items.front() : open_variable(name, variable.items.front().place);
  }
  return variables;
}

Truth Machine::start(std::vector<Word> words, const WordsByName& for_it, std::optional<std::string> input) {
  const Place place = words.front().place;
  if (output_ != nullptr) print(open_part("$(" + as_written(words.front().text) + " ...)"));
  if (is_muted_) return std::nullopt;
  Command command;
  command.words = std::move(words);
  command.environment = exported();
  for (const auto& [name, value] : for_it) command.environment[name] = value;
  command.alongside = state_.in_background;
  command.input = std::move(input);
  command.is_captured = captures_ > 0;
  command.files = &state_.files;
  for (const int number : world_.start(command)) started_.push_back(number);
  return std::nullopt;
}

}  // namespace lockstep::shell
