#include "config/launch_config.h"

#include <fmt/format.h>

#include "base/text_fields.h"
#include "launchers/launcher.h"

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

template <typename T>
std::optional<T> value_in(const Json& found);

template <>
std::optional<bool> value_in(const Json& found) {
  return found.is_boolean() ? std::optional(found.get<bool>()) : std::nullopt;
}

template <>
std::optional<std::int64_t> value_in(const Json& found) {
  if (found.is_number_integer()) return found.get<std::int64_t>();
  if (found.is_string()) return whole_number(found.get_ref<const std::string&>());
  return std::nullopt;
}

template <>
std::optional<std::string> value_in(const Json& found) {
  if (found.is_string()) return found.get<std::string>();
  if (found.is_number_integer()) return std::to_string(found.get<std::int64_t>());
  return std::nullopt;
}

// Items that are no text are left out.
template <>
std::optional<TextList> value_in(const Json& found) {
  if (!found.is_array()) return std::nullopt;
  TextList texts;
  for (const Json& item : found)
    if (item.is_string()) texts.push_back(item.get<std::string>());
  return texts;
}

template <>
std::optional<TextMap> value_in(const Json& found) {
  if (!found.is_object()) return std::nullopt;
  TextMap texts;
  for (const auto& [name, value] : found.items())
    if (value.is_string()) texts[name] = value.get<std::string>();
  return texts;
}

template <>
std::optional<ClusterTasks> value_in(const Json& found) {
  if (!found.is_object()) return std::nullopt;
  ClusterTasks tasks;
  for (const auto& [job, addresses] : found.items())
    tasks.push_back({job, value_in<TextList>(addresses).value_or(TextList{})});
  return tasks;
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  return base::number_in<std::int64_t>(base::trimmed(text));
}

bool is_elastic(const LaunchConfig& launch) {
  return launch.has(Fields::kTorchrun) &&
         launch.text(Fields::kRendezvousBackend) != launchers::kTorchrunBackend;
}

bool FieldPath::is_inside(const FieldPath& group) const {
  return text_.size() > group.text_.size() && text_.starts_with(group.text_) &&
         text_[group.text_.size()] == '/';
}

std::string FieldPath::name_inside(const FieldPath& group) const {
  return is_inside(group) ? text_.substr(group.text_.size() + 1) : std::string();
}

std::string FieldPath::name() const {
  return text_.substr(text_.rfind('/') + 1);
}

NamedField<Group> FieldPath::group() const {
  return NamedField<Group>(text_.substr(0, text_.rfind('/')));
}

NamedField<TextList> Fields::peer(const NamedField<Group>& rule, std::size_t index) {
  return NamedField<TextList>(under(rule.at(PolicyRule::kPeers), std::to_string(index)));
}

NamedField<Group> Fields::section_of(const launchers::Launcher& launcher) {
  return NamedField<Group>(std::string(launcher.section));
}

NamedField<std::string> Fields::flag(const launchers::Launcher& launcher, std::string_view name) {
  return named(section_of(launcher), name);
}

const Json* RuleView::find(std::string_view path) const {
  const Json* at = tree_;
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

const Origin* RuleView::origin_of(std::string_view path) const {
  for (std::string_view whole = path;;) {
    if (const auto found = origins_->find(whole); found != origins_->end()) return &found->second;
    const std::size_t slash = whole.rfind('/');
    if (slash == std::string_view::npos) break;
    whole = whole.substr(0, slash);
  }
  const std::string inside = fmt::format("{}/", path);
  const auto part = origins_->lower_bound(inside);
  return part != origins_->end() && part->first.starts_with(inside) ? &part->second : nullptr;
}

template <typename T>
std::optional<Value<T>> LaunchConfig::value_at(std::string_view path) const {
  const Json* const found = view().find(path);
  const Origin* const origin = view().origin_of(path);
  if (found == nullptr || origin == nullptr) return std::nullopt;
  std::optional<T> value = value_in<T>(*found);
  if (!value) return std::nullopt;
  return Value<T>{*std::move(value), *origin};
}

template std::optional<Value<bool>> LaunchConfig::value_at(std::string_view) const;
template std::optional<Value<std::int64_t>> LaunchConfig::value_at(std::string_view) const;
template std::optional<Value<std::string>> LaunchConfig::value_at(std::string_view) const;
template std::optional<Value<TextList>> LaunchConfig::value_at(std::string_view) const;
template std::optional<Value<TextMap>> LaunchConfig::value_at(std::string_view) const;
template std::optional<Value<ClusterTasks>> LaunchConfig::value_at(std::string_view) const;

std::string LaunchConfig::text_at(std::string_view path) const {
  const Json* const found = view().find(path);
  return found == nullptr ? std::string() : value_in<std::string>(*found).value_or("");
}

std::optional<std::int64_t> LaunchConfig::number_at(std::string_view path) const {
  const Json* const found = view().find(path);
  return found == nullptr ? std::nullopt : value_in<std::int64_t>(*found);
}

std::size_t LaunchConfig::count(const FieldPath& list) const {
  const Json* const found = view().find(list.text());
  return found != nullptr && found->is_array() ? found->size() : 0;
}

std::string LaunchConfig::as_written(const FieldPath& field) const {
  const Json* const found = view().find(field.text());
  if (found == nullptr) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

void LaunchConfig::set_at(std::string_view path, Json value, const Origin& origin) {
  Json* at = &tree_;
  std::string_view rest = path;
  while (!rest.empty()) at = &child_of(*at, take_part(rest));
  *at = std::move(value);
  origins_[std::string(path)] = origin;
}

void LaunchConfig::set_default(const FieldPath& field, Json value, const Origin& origin) {
  if (!has(field)) set(field, std::move(value), origin);
}

void LaunchConfig::set_from(const FieldPath& field, std::initializer_list<FieldPath> sources) {
  for (const FieldPath& source : sources) {
    const Json* const found = view().find(source.text());
    if (found == nullptr || found->is_structured() || has(field)) continue;
    set(field, Json(*found), *origin_of(source));
  }
}

void LaunchConfig::append(const FieldPath& list, Json value, const Origin& origin) {
  if (!has(list)) set(list, Json::array(), origin);
  set_at(fmt::format("{}/{}", list.text(), count(list)), std::move(value), origin);
}

void LaunchConfig::erase(const FieldPath& field) {
  if (!has(field)) return;
  const std::string& path = field.text();
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    tree_.erase(path);
    return;
  }
  Json* parent = &tree_;
  std::string_view rest = std::string_view(path).substr(0, slash);
  while (!rest.empty()) parent = &child_of(*parent, take_part(rest));
  if (parent->is_object()) parent->erase(path.substr(slash + 1));
}

void LaunchConfig::take_from(const LaunchConfig& other, const FieldPath& field) {
  const Json* const found = other.view().find(field.text());
  if (found == nullptr) return;
  const Origin* const origin = other.view().origin_of(field.text());
  set_at(field.text(), *found, origin == nullptr ? Origin{} : *origin);
  for (const auto& [path, from] : other.origins_) {
    if (path.starts_with(field.text() + "/")) origins_.insert_or_assign(path, from);
  }
}

void LaunchConfig::add_missing(const LaunchConfig& other) {
  const auto take = [&](const std::string& path, const Json& value) {
    const Origin* const origin = other.view().origin_of(path);
    set_at(path, value, origin != nullptr ? *origin : Origin{});
  };
  for (const auto& [name, subtree] : other.tree_.items()) {
    const Json* const own = view().find(name);
    if (subtree.is_object() && own != nullptr) {
      for (const auto& [inner, value] : subtree.items()) {
        const std::string path = name + "/" + inner;
        if (view().find(path) == nullptr) take(path, value);
      }
    } else if (own == nullptr) {
      take(name, subtree);
      for (const auto& [path, from] : other.origins_) {
        if (path.starts_with(name + "/")) origins_.try_emplace(path, from);
      }
    }
  }
}

}  // namespace lockstep::config
