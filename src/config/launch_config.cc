#include "config/launch_config.h"

#include <fmt/format.h>

#include "base/text_fields.h"

namespace lockstep::config {
namespace {

using base::Json;

std::string_view take_part(std::string_view& path) {
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return part;
}

std::optional<std::size_t> place_in(const Json& array, std::string_view part) {
  const auto place = base::number_in<std::size_t>(part);
  if (!place || *place > array.size()) return std::nullopt;
  return place;
}

// What is in the way and is no object gives way.
Json& child_of(Json& parent, std::string_view part) {
  if (parent.is_array()) {
    if (const auto place = place_in(parent, part)) {
      if (*place == parent.size()) parent.push_back(nullptr);
      return parent[*place];
    }
  }
  if (!parent.is_object()) parent = Json::object();
  return parent[std::string(part)];
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  return base::number_in<std::int64_t>(base::trimmed(text));
}

void LaunchConfig::set(std::string_view path, Json value, const Origin& origin) {
  Json* at = &tree_;
  std::string_view rest = path;
  while (!rest.empty()) at = &child_of(*at, take_part(rest));
  *at = std::move(value);
  origins_[std::string(path)] = origin;
}

void LaunchConfig::set_default(std::string_view path, Json value, const Origin& origin) {
  if (!has(path)) set(path, std::move(value), origin);
}

std::string LaunchConfig::append(std::string_view path, Json value, const Origin& origin) {
  if (!has(path)) set(path, Json::array(), origin);
  std::string item = fmt::format("{}/{}", path, count(path));
  set(item, std::move(value), origin);
  return item;
}

void LaunchConfig::erase(std::string_view path) {
  if (!has(path)) return;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    tree_.erase(std::string(path));
    return;
  }
  Json* parent = &tree_;
  std::string_view rest = path.substr(0, slash);
  while (!rest.empty()) parent = &child_of(*parent, take_part(rest));
  if (parent->is_object()) parent->erase(std::string(path.substr(slash + 1)));
}

const Json* LaunchConfig::find(std::string_view path) const {
  const Json* at = &tree_;
  while (!path.empty()) {
    const std::string_view part = take_part(path);
    if (at->is_array()) {
      const auto place = place_in(*at, part);
      if (!place || *place == at->size()) return nullptr;
      at = &(*at)[*place];
    } else {
      if (!at->is_object()) return nullptr;
      const auto member = at->find(part);
      if (member == at->end()) return nullptr;
      at = &*member;
    }
  }
  return at;
}

std::string LaunchConfig::text(std::string_view path) const {
  const Json* value = find(path);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  if (value->is_number_integer()) return std::to_string(value->get<std::int64_t>());
  return {};
}

std::optional<std::int64_t> LaunchConfig::number(std::string_view path) const {
  const Json* value = find(path);
  if (value == nullptr) return std::nullopt;
  if (value->is_number_integer()) return value->get<std::int64_t>();
  if (value->is_string()) return whole_number(value->get_ref<const std::string&>());
  return std::nullopt;
}

std::size_t LaunchConfig::count(std::string_view path) const {
  const Json* value = find(path);
  return value != nullptr && value->is_array() ? value->size() : 0;
}

const Origin* LaunchConfig::origin_of(std::string_view path) const {
  for (std::string_view whole = path;;) {
    if (const auto found = origins_.find(whole); found != origins_.end()) return &found->second;
    const std::size_t slash = whole.rfind('/');
    if (slash == std::string_view::npos) break;
    whole = whole.substr(0, slash);
  }
  const std::string inside = fmt::format("{}/", path);
  const auto part = origins_.lower_bound(inside);
  return part != origins_.end() && part->first.starts_with(inside) ? &part->second : nullptr;
}

void LaunchConfig::add_missing(const LaunchConfig& other) {
  for (const auto& [name, subtree] : other.tree_.items()) {
    if (subtree.is_object() && has(name)) {
      for (const auto& [inner, value] : subtree.items()) {
        const std::string path = name + "/" + inner;
        if (has(path)) continue;
        const Origin* origin = other.origin_of(path);
        set(path, value, origin != nullptr ? *origin : Origin{});
      }
    } else if (!has(name)) {
      const Origin* origin = other.origin_of(name);
      set(name, subtree, origin != nullptr ? *origin : Origin{});
      for (const auto& [path, from] : other.origins_) {
        if (path.starts_with(name + "/")) origins_.try_emplace(path, from);
      }
    }
  }
}

}  // namespace lockstep::config
