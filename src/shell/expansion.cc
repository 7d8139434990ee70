// From a node of the tree to words: quotes taken off, variables put in, split where the shell splits.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "shell/limits.h"
#include "shell/machine.h"

namespace lockstep::shell {
namespace {

constexpr std::string_view kPlaceholder = "LOCKSTEP_OPEN_";

bool is_expansion(std::string_view kind) {
  return kind == "simple_expansion" || kind == "expansion" || kind == "command_substitution" ||
         kind == "arithmetic_expansion";
}

// What a backslash leaves.
std::string unescaped(std::string_view text, Quoting quoting) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    const char next = text[++i];
    if (next == '\n') continue;
    const bool is_escape = quoting == Quoting::kNone || quoting == Quoting::kWhole || next == '$' ||
                           next == '`' || next == '\\' || (next == '"' && quoting == Quoting::kDouble);
    if (!is_escape) plain += '\\';
    plain += next;
  }
  return plain;
}

// $'...'
std::string ansi_text(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    const char next = text[++i];
    constexpr std::string_view kLetters = "nt\\'\"re";
    constexpr std::string_view kMeaning = "\n\t\\'\"\r\033";
    const std::size_t known = kLetters.find(next);
    if (known == std::string_view::npos) return open_part(text);
    plain += kMeaning[known];
  }
  return plain;
}

// The name in ${NAME...}, behind '#' or '!'; with its index.
struct Braced {
  bool is_length = false;
  bool is_indirect = false;
  std::string name;
  std::string index;      // "@", "0"
  std::size_t after = 0;  // bytes of the inside before the operation
};

Braced braced(std::string_view inside) {
  Braced found;
  std::string_view rest = inside;
  if (rest.size() > 1 && (rest.front() == '#' || rest.front() == '!')) {
    (rest.front() == '#' ? found.is_length : found.is_indirect) = true;
    rest.remove_prefix(1);
  }
  const auto* const end = std::ranges::find_if_not(rest, is_name_letter);
  std::size_t size = static_cast<std::size_t>(end - rest.begin());
  if (size == 0 && !rest.empty()) size = 1;  // $@, $*, $#
  found.name = rest.substr(0, size);
  rest.remove_prefix(size);
  if (rest.starts_with('[')) {
    const std::size_t close = std::min(rest.find(']'), rest.size());
    found.index = rest.substr(1, close - 1);
    rest.remove_prefix(std::min(close + 1, rest.size()));
  }
  found.after = inside.size() - rest.size();
  return found;
}

// Without "${" and "}".
std::string_view inside_of(std::string_view text) {
  text = base::trimmed(text);
  if (text.starts_with("${")) text.remove_prefix(2);
  if (text.ends_with('}')) text.remove_suffix(1);
  return text;
}

bool is_always_open(std::string_view name) {
  constexpr std::string_view kOpen[] = {"RANDOM", "SECONDS", "HOSTNAME", "PWD",     "OLDPWD", "UID",
                                        "EUID",   "PPID",    "LINENO",   "BASHPID", "USER",   "EPOCHSECONDS"};
  return std::ranges::find(kOpen, name) != std::end(kOpen);
}

}  // namespace

Place Machine::place_of(Node node) const {
  return {node.tree().file(), node.tree().first_line() == 0 ? 0 : node.line()};
}

std::string Machine::with_placeholders(std::string_view text) {
  std::string script;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_of(std::string{kOpenPart, kOpenWords}), text.size());
    script += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty()) break;
    const std::size_t end = std::min(text.find(kOpenEnd), text.size());
    script += fmt::format("${{{}{}}}", kPlaceholder, open_texts_.size());
    open_texts_.emplace_back(as_written(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return script;
}

// In single quotes a placeholder stays as it is.
std::string Machine::without_placeholders(std::string text) const {
  const std::string mark = fmt::format("${{{}", kPlaceholder);
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    const std::size_t close = text.find('}', at);
    if (close == std::string::npos) break;
    const auto number = base::number_in<std::size_t>(
        std::string_view(text).substr(at + mark.size(), close - at - mark.size()));
    const std::string open =
        number && *number < open_texts_.size() ? open_part(open_texts_[*number]) : open_part("?");
    text.replace(at, close + 1 - at, open);
    at += open.size();
  }
  return text;
}

std::vector<Word> Machine::words_of(Node node) {
  WordBuilder builder(place_of(node));
  expand(node, Quoting::kNone, builder);
  return builder.take();
}

std::vector<Word> Machine::words_from(Node parent, std::uint32_t& at) {
  WordBuilder builder(place_of(parent[at]));
  std::size_t end = parent[at].begin();
  for (; at < parent.size() && parent[at].is_named() && parent[at].begin() == end; ++at) {
    if (parent[at].is("file_redirect") || parent[at].is("heredoc_redirect")) break;
    expand(parent[at], Quoting::kNone, builder);
    end = parent[at].end();
  }
  return builder.take();
}

Word Machine::text_of(Node node, Quoting quoting) {
  if (node.is_null()) return {};
  WordBuilder builder(place_of(node));
  expand(node, quoting, builder);
  std::vector<Word> words = builder.take();
  if (words.empty()) return {"", place_of(node), {}};
  Word joined = std::move(words.front());
  for (std::size_t i = 1; i < words.size(); ++i) joined.text += " " + words[i].text;
  return joined;
}

void Machine::add_expanded(const Word& value, Quoting quoting, WordBuilder& into) {
  if (quoting == Quoting::kNone) {
    into.add_split(value);
  } else {
    into.add_value(value);
  }
}

// Text between the parts of a node that are more than text.
void Machine::expand_gap(std::string_view text, Quoting quoting, WordBuilder& into) {
  if (!text.empty()) into.add(unescaped(text, quoting));
}

void Machine::expand_parts(Node node, Quoting quoting, WordBuilder& into) {
  const std::string_view text = node.text();
  std::size_t at = node.begin();
  const auto gap_until = [&](std::size_t end) {
    if (end > at) expand_gap(text.substr(at - node.begin(), end - at), quoting, into);
    at = std::max(at, end);
  };
  for (std::uint32_t i = 0; i < node.size(); ++i) {
    const Node part = node[i];
    if (!part.is_named() || part.is("string_content") || part.is("heredoc_content")) continue;
    // The grammar counts blanks before a '$' in quotes to the part.
    std::size_t begin = part.begin();
    if (is_expansion(part.kind()) && quoting == Quoting::kHereDocument) {
      const std::size_t sign = part.text().find_first_of("$`");
      begin += sign == std::string_view::npos ? 0 : sign;
    }
    gap_until(begin);
    expand(part, quoting, into);
    at = std::max(at, part.end());
  }
  gap_until(node.end());
}

void Machine::expand(Node node, Quoting quoting, WordBuilder& into) {
  const std::string_view kind = node.kind();
  if (++depth_ > kMaxDepth || into.is_full()) {
    into.add(open_part(node.text().substr(0, 80)));
  } else if (kind == "string" || kind == "translated_string") {
    std::string_view text = node.text();
    const std::size_t quote = text.find('"');
    // "$@" of nothing is no word.
    const bool is_list = text == "\"$@\"" || (text.starts_with("\"${") && text.ends_with("[@]}\"") &&
                                              std::ranges::count(text, '$') == 1);
    if (!is_list) into.add_quotes();
    // The quotes themselves are parts without names.
    const std::size_t begin = node.begin() + (quote == std::string_view::npos ? 0 : quote + 1);
    std::size_t at = begin;
    const std::size_t end = node.end() - (text.ends_with('"') && text.size() > 1 ? 1 : 0);
    const auto gap_until = [&](std::size_t until) {
      if (until > at) expand_gap(node.tree().text().substr(at, until - at), Quoting::kDouble, into);
      at = std::max(at, until);
    };
    for (std::uint32_t i = 0; i < node.size(); ++i) {
      const Node part = node[i];
      if (!is_expansion(part.kind())) continue;
      const std::size_t sign = part.text().find_first_of("$`");
      gap_until(std::min(end, part.begin() + (sign == std::string_view::npos ? 0 : sign)));
      expand(part, Quoting::kDouble, into);
      at = std::max(at, part.end());
    }
    gap_until(end);
  } else if (kind == "raw_string") {
    const std::string_view text = node.text();
    into.add_quotes();
    if (text.size() >= 2) into.add(without_placeholders(std::string(text.substr(1, text.size() - 2))));
  } else if (kind == "ansi_c_string") {
    const std::string_view text = node.text();
    into.add_quotes();
    if (text.size() >= 3) into.add(ansi_text(text.substr(2, text.size() - 3)));
  } else if (kind == "simple_expansion") {
    expand_variable(node, quoting, into);
  } else if (kind == "expansion") {
    expand_braced(node, quoting, into);
  } else if (kind == "command_substitution") {
    add_expanded(captured(node), quoting, into);
  } else if (kind == "arithmetic_expansion") {
    const auto value = arithmetic_in(node);
    into.add(value ? std::to_string(*value) : open_part(base::trimmed(node.text())));
  } else if (kind == "process_substitution" || kind == "ERROR") {
    into.add(open_part(node.text().substr(0, 200)));
  } else if (kind == "brace_expression") {
    into.add(open_words(node.text()));
  } else if (node.size() == 0 || kind == "word" || kind == "number") {
    const bool is_bare = quoting == Quoting::kNone || quoting == Quoting::kWhole;
    if (is_bare && node.text().starts_with("~")) {
      const std::string_view rest = node.text().substr(1);
      const bool is_own = rest.empty() || rest.front() == '/';
      into.add(is_own ? value_of("HOME", "~", place_of(node)).text : open_part("~"));
      expand_gap(rest, quoting, into);
    } else if (quoting == Quoting::kNone && node.text().find('{') != std::string_view::npos &&
               (node.text().find(',') != std::string_view::npos ||
                node.text().find("..") != std::string_view::npos)) {
      into.add(open_words(node.text()));
    } else {
      expand_gap(node.text(), quoting, into);
    }
  } else {
    expand_parts(node, quoting, into);
  }
  --depth_;
}

Word Machine::value_of(std::string_view name, std::string_view written, const Place& place) {
  Word value{open_part(written), place, {}};
  if (name.empty()) return value;
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
    const auto number = base::number_in<std::size_t>(name);
    if (!number) return value;
    if (*number == 0) return {name_.empty() ? open_part("$0") : name_, place, {}};
    if (*number <= state_.arguments.size()) return state_.arguments[*number - 1];
    return state_.has_open_arguments ? value : Word{"", place, {}};
  }
  if (name == "#")
    return state_.has_open_arguments ? value : Word{std::to_string(state_.arguments.size()), place, {}};
  if (name.size() == 1 && !is_name_letter(name.front())) return value;  // $?, $$, $!
  if (name == "BASH_SOURCE") return {place.file.empty() ? open_part("$BASH_SOURCE") : place.file, place, {}};
  if (name.starts_with(kPlaceholder)) {
    const auto number = base::number_in<std::size_t>(name.substr(kPlaceholder.size()));
    return {open_part(number && *number < open_texts_.size() ? open_texts_[*number] : "?"), place, {}};
  }
  if (const Variable* const variable = state_.find(name)) {
    if (variable->is_unset || (variable->items.empty() && !variable->has_more)) return {"", place, {}};
    if (variable->items.empty()) return value;
    Word found = variable->items.front();
    found.sources = {{std::string(name), found.place, found.text}};
    return found;
  }
  if (is_always_open(name)) return value;
  const Outer outer = world_.variable(std::string(name));
  if (outer.kind == Outer::Kind::kUnset) return {"", place, {}};
  return outer.kind == Outer::Kind::kKnown ? outer.value : value;
}

// "$@" and "${A[@]}": nothing for what is no list.
std::optional<std::vector<Word>> Machine::list_named(std::string_view name, bool& has_more) {
  has_more = false;
  if (name == "@" || name == "*") {
    has_more = state_.has_open_arguments;
    return state_.arguments;
  }
  const Variable* const variable = state_.find(name);
  if (variable == nullptr || variable->is_unset) {
    has_more = variable == nullptr && world_.variable(std::string(name)).kind != Outer::Kind::kUnset;
    return std::vector<Word>{};
  }
  has_more = variable->has_more;
  return variable->items;
}

void Machine::expand_variable(Node node, Quoting quoting, WordBuilder& into) {
  std::string_view written = base::trimmed(node.text());
  const std::string_view name = written.substr(std::min<std::size_t>(1, written.size()));
  if (name == "@" || (name == "*" && quoting == Quoting::kNone)) {
    bool has_more = false;
    const auto items = list_named(name, has_more);
    if (quoting == Quoting::kNone) {
      for (const Word& item : *items) {
        into.add_split(item);
        into.add_split({" ", {}, {}});
      }
      if (has_more) into.add(open_words(written));
    } else {
      into.add_items(*items, has_more, written);
    }
    return;
  }
  if (name == "*") return into.add(open_part(written));
  add_expanded(value_of(name, written, place_of(node)), quoting, into);
}

void Machine::expand_braced(Node node, Quoting quoting, WordBuilder& into) {
  const Braced parts = braced(inside_of(node.text()));
  const bool is_list = (parts.index == "@" || parts.index == "*" || parts.name == "@" || parts.name == "*") &&
                       !parts.is_length && !parts.is_indirect;
  if (!is_list) return add_expanded(braced_value(node, place_of(node)), quoting, into);
  bool has_more = false;
  const std::string_view list_name = parts.name;
  const auto items = list_named(list_name, has_more);
  const std::string written(base::trimmed(node.text()));
  if (parts.after < inside_of(node.text()).size()) return into.add(open_words(written));
  if (quoting != Quoting::kNone && (parts.index == "@" || parts.name == "@")) {
    into.add_items(*items, has_more, written);
  } else if (quoting != Quoting::kNone) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (i > 0) into.add(" ");
      into.add_value((*items)[i]);
    }
    if (has_more) into.add(open_part(written));
  } else {
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (i > 0) into.add_split({" ", {}, {}});
      into.add_split((*items)[i]);
    }
    if (has_more) into.add_split({(items->empty() ? "" : " ") + open_words(written), {}, {}});
  }
}

Word Machine::braced_value(Node node, const Place& place) {
  const std::string written(base::trimmed(node.text()));
  const std::string_view inside = inside_of(written);
  const Braced parts = braced(inside);
  const Word open{open_part(written), place, {}};
  if (parts.is_indirect) return open;
  bool has_more = false;
  if (parts.is_length && (parts.index == "@" || parts.index == "*")) {
    const auto items = list_named(parts.name, has_more);
    return has_more ? open : Word{std::to_string(items->size()), place, {}};
  }
  Word value;
  const Variable* const variable = state_.find(parts.name);
  if (!parts.index.empty() && parts.name != "BASH_SOURCE") {
    const auto items = list_named(parts.name, has_more);
    const auto index = arithmetic(parts.index);
    const auto count = static_cast<std::int64_t>(items->size());
    if (!index || *index < -count) return open;
    const std::int64_t at = *index < 0 ? *index + count : *index;
    if (at >= count && has_more) return open;
    value = at < count ? (*items)[static_cast<std::size_t>(at)] : Word{"", place, {}};
  } else {
    value = value_of(parts.name, written, place);
  }
  if (parts.is_length)
    return is_open(value.text) ? open : Word{std::to_string(value.text.size()), place, value.sources};
  return parts.after == inside.size() ? value : with_operation(node, parts.after, variable, value);
}

// ${NAME:-x} and its kin.
Word Machine::with_operation(Node node, std::size_t after_name, const Variable* variable, const Word& value) {
  const std::string written(base::trimmed(node.text()));
  const std::string_view inside = inside_of(written);
  const std::string name = braced(inside).name;
  std::string_view operation = inside.substr(after_name);
  const Place place = place_of(node);
  const Word open{open_part(written), place, {}};
  // The operand: what stands behind the name and the operator.
  const std::size_t skip = node.text().find("${");
  const std::size_t start = node.begin() + (skip == std::string_view::npos ? 0 : skip) + 2 + after_name;
  const auto operand = [&](std::size_t letters) {
    WordBuilder builder(place);
    std::size_t at = start + letters;
    const std::size_t end = node.end() - 1;
    for (std::uint32_t i = 0; i < node.size(); ++i) {
      const Node part = node[i];
      if (part.begin() < at || !part.is_named()) continue;
      if (part.begin() > at)
        expand_gap(node.tree().text().substr(at, part.begin() - at), Quoting::kDouble, builder);
      expand(part, Quoting::kDouble, builder);
      at = part.end();
    }
    if (end > at) expand_gap(node.tree().text().substr(at, end - at), Quoting::kDouble, builder);
    std::vector<Word> words = builder.take();
    return words.empty() ? Word{"", place, {}} : words.front();
  };
  const bool tells_empty = operation.starts_with(':');
  const char sign = operation.size() > (tells_empty ? 1U : 0U) ? operation[tells_empty ? 1 : 0] : '\0';
  if (sign == '-' || sign == '=' || sign == '+' || sign == '?') {
    const bool is_set_here = variable != nullptr && !variable->is_unset;
    const bool is_unset_here = variable != nullptr && variable->is_unset;
    const bool is_argument = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
    Truth has_value = is_open(value.text) ? Truth() : Truth(!value.text.empty());
    if (!tells_empty && (is_set_here && !is_open(value.text))) has_value = true;
    if (!tells_empty && is_unset_here) has_value = false;
    if (!tells_empty && is_argument && has_value && !*has_value) has_value = false;
    // An open part beside known text is not empty, whatever it is.
    if (is_open(value.text) && split_at_blanks(value.text).size() > 1) has_value = true;
    if (is_open(value.text) && value.text.find(kOpenEnd) + 1 != value.text.size()) has_value = true;
    if (is_open(value.text) && value.text.front() > kOpenWords) has_value = true;
    const std::size_t letters = tells_empty ? 2 : 1;
    if (!has_value) {
      if (sign == '=') state_.set(name, open);
      return sign == '?' ? value : open;
    }
    if (sign == '+') return *has_value ? operand(letters) : Word{"", place, {}};
    if (*has_value || sign == '?') return value;
    Word given = operand(letters);
    if (sign == '=') state_.set(name, given);
    return given;
  }
  if (is_open(value.text)) return open;
  Word changed = value;
  if (sign != '\0' && (operation.front() == '#' || operation.front() == '%')) {
    const char end = operation.front();
    const bool is_longest = operation.size() > 1 && operation[1] == end;
    const std::string pattern = operand(is_longest ? 2 : 1).text;
    if (is_open(pattern) || value.text.size() > kMaxWordBytes / 64) return open;
    const std::size_t size = value.text.size();
    for (std::size_t i = 0; i <= size; ++i) {
      const std::size_t taken = is_longest ? size - i : i;
      const std::string piece =
          end == '#' ? value.text.substr(0, taken) : value.text.substr(size - taken, taken);
      const Match match = matches_pattern(pattern, piece);
      if (match == Match::kUndecided) return open;
      if (match == Match::kNo) continue;
      changed.text = end == '#' ? value.text.substr(taken) : value.text.substr(0, size - taken);
      return changed;
    }
    return value;
  }
  if (operation.starts_with('/')) {
    const bool is_all = operation.starts_with("//");
    const std::string both = operand(is_all ? 2 : 1).text;
    const std::size_t slash = both.find('/');
    const std::string wanted = both.substr(0, slash);
    const std::string instead = slash == std::string::npos ? "" : both.substr(slash + 1);
    if (is_open(both) || wanted.empty() || is_pattern(wanted) || wanted.find_first_of("#%\\") == 0)
      return open;
    for (std::size_t at = changed.text.find(wanted);
         at != std::string::npos && changed.text.size() < kMaxWordBytes;
         at = changed.text.find(wanted, at + instead.size())) {
      changed.text.replace(at, wanted.size(), instead);
      if (!is_all) break;
    }
    return changed;
  }
  if (operation == "^^" || operation == ",,") {
    std::ranges::transform(changed.text, changed.text.begin(), [&](unsigned char letter) {
      return static_cast<char>(operation == "^^" ? std::toupper(letter) : std::tolower(letter));
    });
    return changed;
  }
  if (tells_empty) {
    operation.remove_prefix(1);
    const std::size_t colon = operation.find(':');
    const auto from = arithmetic(operation.substr(0, colon));
    const auto count = colon == std::string_view::npos ? std::optional<std::int64_t>(kMaxWordBytes)
                                                       : arithmetic(operation.substr(colon + 1));
    const auto size = static_cast<std::int64_t>(value.text.size());
    if (!from || !count || *count < 0 || *from < -size || *from > size) return open;
    changed.text = value.text.substr(static_cast<std::size_t>(*from < 0 ? *from + size : *from),
                                     static_cast<std::size_t>(*count));
    return changed;
  }
  return open;
}

// The output of what stands in $(...), where only builtins make it.
Word Machine::captured(Node node) {
  const std::string written(base::trimmed(node.text()));
  const Place place = place_of(node);
  std::string output;
  std::string* const outer = output_;
  output_ = &output;
  const State kept = state_;
  if (++branches_ > kMaxBranches) {
    output = open_part(written);
  } else {
    ++captures_;
    execute_all(node);
    --captures_;
  }
  state_ = kept;
  output_ = outer;
  while (output.ends_with('\n')) output.pop_back();
  if (is_open(output) && output.starts_with(kOpenPart) && output.find(kOpenEnd) + 1 == output.size())
    output = open_part(written);
  return {output, place, {}};
}

}  // namespace lockstep::shell
