#include "check/repair/manifest_value.h"

#include <fmt/format.h>

#include "check/repair/manifest_text.h"

namespace lockstep::repair {
namespace {

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
