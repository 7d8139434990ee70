#include "config/files/yaml_file.h"

#include <algorithm>

namespace lockstep::config {

YamlKind kind_of(const base::YamlDocument& document) {
  const base::Json& value = document.value;
  if (!value.is_object()) return YamlKind::kUnknown;
  if (value.contains("apiVersion") && value.contains("kind")) return YamlKind::kKubernetes;
  if (value.contains("services")) return YamlKind::kCompose;
  for (const char* key : {"compute_environment", "distributed_type", "num_machines", "num_processes"}) {
    if (value.contains(key)) return YamlKind::kAccelerate;
  }
  return YamlKind::kUnknown;
}

YamlNode YamlNode::operator[](std::string_view key) const {
  const std::string path = path_ + "/" + std::string(key);
  if (!is_object()) return {*this, nullptr, path};
  const auto found = value_->find(key);
  return {*this, found == value_->end() ? nullptr : &*found, path};
}

YamlNode YamlNode::at(std::size_t index) const {
  const std::string path = path_ + "/" + std::to_string(index);
  return {*this, index < size() ? &(*value_)[index] : nullptr, path};
}

std::string YamlNode::text() const {
  return exists() && value_->is_string() ? value_->get<std::string>() : std::string();
}

bool YamlNode::is_true() const {
  std::string word = text();
  std::ranges::transform(word, word.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return word == "true" || word == "yes" || word == "on";
}

Origin YamlNode::origin() const {
  std::string key = path_.empty() ? "" : path_.substr(1);
  std::ranges::replace(key, '/', '.');
  std::string_view path = path_;
  while (true) {
    const auto line = document_->lines.find(std::string(path));
    if (line != document_->lines.end()) return {*file_, line->second, "key " + key};
    if (path.empty()) return {*file_, std::nullopt, "key " + key};
    path = path.substr(0, path.rfind('/'));
  }
}

std::vector<std::string> YamlNode::keys() const {
  std::vector<std::string> names;
  if (is_object()) {
    for (const auto& [name, value] : value_->items()) names.push_back(name);
  }
  return names;
}

void read_accelerate(const YamlNode& file, const Reading& reading) {
  reading.settings.set_default(field::kAccelerate, base::Json::object(), file.origin());
  const auto take = [&](const YamlNode& node, const std::string& name) {
    // What is on the command line wins over the file.
    if (!node.text().empty())
      reading.settings.set_default(field::member(field::kAccelerate, name), node.text(), node.origin());
  };
  for (const std::string& key : file.keys()) {
    const YamlNode value = file[key];
    take(value, key);
    for (const std::string& inner : value.keys()) take(value[inner], inner);
  }
}

}  // namespace lockstep::config
