#include "check/repair/manifest_value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace lockstep::repair {
namespace {

// Values in the text of a manifest, changed where they stand. Lines count from 1; all give nothing where the
// text is not as it is expected.

struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;  // before the line's end
};

std::optional<Line> line_at(const std::string& text, std::int64_t number) {
  std::size_t begin = 0;
  for (std::int64_t i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return std::nullopt;
    begin = end + 1;
  }
  if (begin >= text.size()) return std::nullopt;
  return Line{begin, std::min(text.find('\n', begin), text.size())};
}

std::size_t skip_spaces(const std::string& text, std::size_t at, std::size_t end) {
  while (at < end && text[at] == ' ') ++at;
  return at;
}

// Behind the colon of the key, blanks skipped; nothing where the line has no such key.
std::optional<std::size_t> value_of_key(const std::string& text, const Line& line, std::string_view key) {
  const std::string wanted = fmt::format("{}:", key);
  for (std::size_t at = text.find(wanted, line.begin); at < line.end; at = text.find(wanted, at + 1)) {
    const char before = at == line.begin ? ' ' : text[at - 1];
    if (before == ' ' || before == '{' || before == ',' || before == '"' || before == '\'')
      return skip_spaces(text, at + wanted.size(), line.end);
  }
  return std::nullopt;
}

// The indentation of the first line behind this one that has something.
std::size_t indent_below(const std::string& text, const Line& line) {
  for (std::size_t begin = line.end + 1; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = skip_spaces(text, begin, end);
    if (first < end && text[first] != '#') return first - begin;
    begin = end + 1;
  }
  return 0;
}

// Between the braces or brackets that stand behind the key, or on a line of its own below it.
std::optional<std::string> inserted(const std::string& text, std::int64_t number, std::string_view key,
                                    char opening, std::string_view part, std::string_view before_part) {
  const auto line = line_at(text, number);
  const auto value = line ? value_of_key(text, *line, key) : std::nullopt;
  if (!value) return std::nullopt;
  std::string made = text;
  if (*value < line->end && text[*value] == opening) {
    const std::size_t next = skip_spaces(text, *value + 1, line->end);
    const bool is_empty = next < line->end && (text[next] == '}' || text[next] == ']');
    return made.insert(*value + 1, fmt::format("{}{}", part, is_empty ? "" : ", "));
  }
  if (*value < line->end && text[*value] != '#') return std::nullopt;
  return made.insert(line->end,
                     fmt::format("\n{}{}{}", std::string(indent_below(text, *line), ' '), before_part, part));
}

// `key: value` on that line, in a block or between braces.
std::optional<std::string> with_scalar(const std::string& text, std::int64_t line, std::string_view key,
                                       std::string_view value) {
  const auto place = line_at(text, line);
  if (!place) return std::nullopt;
  const auto begin = value_of_key(text, *place, key);
  if (!begin) return std::nullopt;
  std::size_t end = *begin;
  while (end < place->end && std::string_view(",}# ").find(text[end]) == std::string_view::npos) ++end;
  std::string made = text;
  return made.replace(*begin, end - *begin, value);
}

// One more member ("clusterIP: None") of the map that is the value of `key`, which stands on that line.
std::optional<std::string> with_member(const std::string& text, std::int64_t line, std::string_view key,
                                       std::string_view member) {
  return inserted(text, line, key, '{', member, "");
}

// One more item of the list that is.
std::optional<std::string> with_item(const std::string& text, std::int64_t line, std::string_view key,
                                     std::string_view item) {
  return inserted(text, line, key, '[', item, "- ");
}

namespace field = config::field;
using Made = std::optional<std::string>;

constexpr std::string_view kMesh = "sidecar.istio.io/inject";

class ManifestValue {
 public:
  ManifestValue(const config::Settings& launch, const std::string& path)
      : launch_(launch),
        object_(path.substr(0, path.rfind('/'))),
        member_(path.substr(path.rfind('/') + 1)) {}

  const config::Origin* home() const { return launch_.origin_of(object_ + "/" + first_of_spec()); }

  Made in(const std::string& text, const std::string& value) const {
    if (member_ == "dns_policy") return set(text, "dnsPolicy", "spec", value);
    if (member_ == "subdomain") return set(text, "subdomain", "spec", value);
    if (member_ == "headless") return set(text, "clusterIP", "spec", "None");
    if (member_ == "mesh") return without_mesh(text);
    return opened(text);
  }

 private:
  // A value whose origin is the line where the object's spec begins.
  std::string first_of_spec() const {
    if (object_.starts_with(field::kServices)) return "publishes_unready";
    return object_.starts_with(field::kPolicies) ? "selector" : "replicas";
  }

  std::int64_t line_of(const std::string& member) const {
    const config::Origin* const origin = launch_.origin_of(object_ + "/" + member);
    return origin == nullptr ? 1 : origin->line.value_or(1);
  }

  Made set(const std::string& text, std::string_view key, std::string_view in, std::string_view value) const {
    if (Made changed = with_scalar(text, line_of(member_), key, value)) return changed;
    return with_member(text, line_of(first_of_spec()), in, fmt::format("{}: {}", key, value));
  }

  // Wherever the file asks for it.
  static Made without_mesh(std::string text) {
    bool is_changed = false;
    for (const char* word : {"true", "\"true\"", "'true'"}) {
      const std::string wanted = fmt::format("{}: {}", kMesh, word);
      for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at)) {
        text.replace(at, wanted.size(), fmt::format("{}: \"false\"", kMesh));
        is_changed = true;
      }
    }
    return is_changed ? Made(std::move(text)) : std::nullopt;
  }

  // To those that the policy selects: the job's own pods.
  Made opened(const std::string& text) const {
    const std::string rule =
        fmt::format("{{{}: [{{podSelector: {}}}]}}", member_ == "ingress" ? "from" : "to", selector());
    if (Made changed = with_item(text, line_of(member_), member_, rule)) return changed;
    return with_member(text, line_of(first_of_spec()), "spec", fmt::format("{}: [{}]", member_, rule));
  }

  std::string selector() const {
    std::string labels;
    for (std::size_t i = 0; i < launch_.count(object_ + "/selector"); ++i) {
      std::string label = launch_.text(fmt::format("{}/selector/{}", object_, i));
      label.replace(label.find('='), 1, ": ");
      labels += (labels.empty() ? "" : ", ") + label;
    }
    return labels.empty() ? "{}" : fmt::format("{{matchLabels: {{{}}}}}", labels);
  }

  const config::Settings& launch_;
  std::string object_;
  std::string member_;
};

}  // namespace

bool set_manifest_value(Situation& situation, const config::Settings& launch, const std::string& path,
                        const std::string& value) {
  const ManifestValue place(launch, path);
  const config::Origin* const home = place.home();
  if (home == nullptr || home->file.empty()) return false;
  const auto text = situation.text_of(home->file);
  if (!text.ok()) return false;
  const Made made = place.in(text.value(), value);
  if (made) situation.edited[home->file] = *made;
  return made.has_value();
}

}  // namespace lockstep::repair
