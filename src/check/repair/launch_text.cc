#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "check/repair/launch_value.h"

namespace lockstep::repair {
namespace {

constexpr std::string_view kLaunchers[] = {
    "torchrun",  "torch.distributed.run", "torch.distributed.launch", "mpirun", "mpiexec", "horovodrun",
    "deepspeed", "accelerate launch",
};

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t';
}

bool is_part_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::size_t start_of_line(const std::string& text, std::int64_t line) {
  std::size_t at = 0;
  for (std::int64_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) return text.size();
    at = end + 1;
  }
  return at;
}

// Of the line with all that a backslash joins to it.
std::size_t end_of_command(const std::string& text, std::size_t begin) {
  std::size_t end = text.find('\n', begin);
  while (end != std::string::npos && end > begin && text[end - 1] == '\\') end = text.find('\n', end + 1);
  return std::min(end, text.size());
}

// Blanks and joined line ends.
std::size_t skip_blanks(const std::string& text, std::size_t at) {
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
    } else if (text.compare(at, 2, "\\\n") == 0) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

std::size_t end_of_word(const std::string& text, std::size_t at) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char letter = text[at];
    if (quote != 0) {
      if (letter == quote) quote = 0;
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
    } else if (std::isspace(static_cast<unsigned char>(letter)) != 0 || letter == ';' || letter == '&') {
      break;
    }
  }
  return at;
}

// Where a word begins that is, or starts with, `wanted`.
std::optional<std::size_t> find_word(const std::string& text, std::size_t begin, std::size_t end,
                                     std::string_view wanted) {
  for (std::size_t at = text.find(wanted, begin); at != std::string::npos && at < end;
       at = text.find(wanted, at + 1)) {
    const bool is_start = at == 0 || (!is_part_of_name(text[at - 1]) && text[at - 1] != '-');
    if (is_start) return at;
  }
  return std::nullopt;
}

std::string without_empty_line(std::string text, std::size_t at) {
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::string left = text.substr(begin, end - begin);
  std::erase_if(left, [](char letter) { return is_blank(letter); });
  if (left.empty() || left == "export") text.erase(begin, std::min(end + 1, text.size()) - begin);
  return text;
}

// "--mca" of "--mca btl_tcp_if_include", and what must follow it.
std::pair<std::string_view, std::string_view> parts_of(std::string_view flag) {
  const std::size_t space = flag.find(' ');
  if (space == std::string_view::npos) return {flag, {}};
  return {flag.substr(0, space), flag.substr(space + 1)};
}

struct FlagPlace {
  std::size_t begin = 0;  // of the flag
  std::size_t value = 0;
  std::size_t end = 0;  // of the value
};

std::optional<FlagPlace> find_flag(const std::string& text, std::int64_t line, std::string_view flag) {
  const std::size_t begin = start_of_line(text, line);
  const std::size_t end = end_of_command(text, begin);
  const auto [name, parameter] = parts_of(flag);
  for (auto at = find_word(text, begin, end, name); at; at = find_word(text, *at + 1, end, name)) {
    std::size_t after = *at + name.size();
    if (after < end && text[after] == '=') return FlagPlace{*at, after + 1, end_of_word(text, after + 1)};
    if (after < end && !is_blank(text[after]) && text[after] != '\\') continue;
    after = skip_blanks(text, after);
    if (!parameter.empty()) {
      const std::size_t parameter_end = end_of_word(text, after);
      if (text.compare(after, parameter_end - after, parameter) != 0) continue;
      after = skip_blanks(text, parameter_end);
    }
    return FlagPlace{*at, after, end_of_word(text, after)};
  }
  return std::nullopt;
}

bool is_launcher(const launchers::Words& command, std::size_t at) {
  const std::string name = command[at].substr(command[at].rfind('/') + 1);
  if (name == "launch") return at > 0 && command[at - 1].ends_with("accelerate");
  return std::ranges::find(kLaunchers, std::string_view(name)) != std::end(kLaunchers);
}

}  // namespace

std::string shell_word(std::string_view text) {
  const auto is_plain = [](char letter) {
    return is_part_of_name(letter) || std::string_view("./:,=@%+-^").find(letter) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

std::optional<std::string> with_variable(const std::string& script, std::int64_t line, std::string_view name,
                                         const std::optional<std::string>& value) {
  const std::size_t begin = start_of_line(script, line);
  const std::string assignment = fmt::format("{}=", name);
  const auto at = find_word(script, begin, end_of_command(script, begin), assignment);
  if (!at) return std::nullopt;
  const std::size_t end = end_of_word(script, *at + assignment.size());
  std::string text = script;
  if (value) return text.replace(*at, end - *at, assignment + shell_word(*value));
  text.erase(*at, skip_blanks(script, end) - *at);
  return without_empty_line(std::move(text), *at);
}

std::string with_line_before(const std::string& script, std::int64_t line, std::string_view added) {
  std::string text = script;
  text.insert(start_of_line(script, line), fmt::format("{}\n", added));
  return text;
}

std::optional<std::string> with_flag(const std::string& script, std::int64_t line, std::string_view flag,
                                     const std::optional<std::string>& value) {
  const auto place = find_flag(script, line, flag);
  if (!place) return std::nullopt;
  std::string text = script;
  if (value) return text.replace(place->value, place->end - place->value, shell_word(*value));
  return text.erase(place->begin, skip_blanks(script, place->end) - place->begin);
}

std::optional<std::string> with_new_flag(const std::string& script, std::int64_t line, std::string_view flag,
                                         const std::string& value) {
  const std::size_t begin = start_of_line(script, line);
  const std::size_t end = end_of_command(script, begin);
  for (const std::string_view launcher : kLaunchers) {
    const auto at = find_word(script, begin, end, launcher);
    if (!at) continue;
    std::string text = script;
    return text.insert(*at + launcher.size(), fmt::format(" {} {}", flag, shell_word(value)));
  }
  return std::nullopt;
}

bool set_flag(launchers::Words& command, std::string_view flag, const std::optional<std::string>& value) {
  const auto [name, parameter] = parts_of(flag);
  for (std::size_t at = 0; at < command.size(); ++at) {
    if (command[at].starts_with(fmt::format("{}=", name)) && parameter.empty()) {
      if (value) command[at] = fmt::format("{}={}", name, *value);
      if (!value) command.erase(command.begin() + static_cast<std::ptrdiff_t>(at));
      return true;
    }
    const std::size_t words = parameter.empty() ? 1 : 2;
    if (command[at] != name || at + words >= command.size()) continue;
    if (!parameter.empty() && command[at + 1] != parameter) continue;
    const auto begin = command.begin() + static_cast<std::ptrdiff_t>(at);
    if (value) command[at + words] = *value;
    if (!value) command.erase(begin, begin + static_cast<std::ptrdiff_t>(words) + 1);
    return true;
  }
  return false;
}

bool add_flag(launchers::Words& command, std::string_view flag, const std::string& value) {
  for (std::size_t at = 0; at < command.size(); ++at) {
    if (!is_launcher(command, at)) continue;
    const auto [name, parameter] = parts_of(flag);
    launchers::Words added{std::string(name)};
    if (!parameter.empty()) added.emplace_back(parameter);
    added.push_back(value);
    command.insert(command.begin() + static_cast<std::ptrdiff_t>(at) + 1, added.begin(), added.end());
    return true;
  }
  return false;
}

}  // namespace lockstep::repair
