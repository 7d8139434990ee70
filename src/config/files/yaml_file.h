// YAML files of launchers and clusters: Kubernetes manifests, compose files, accelerate's configuration.
#pragma once

#include <string_view>

#include "base/yaml.h"
#include "config/reading.h"

namespace lockstep::config {

enum class YamlKind { kUnknown, kKubernetes, kCompose, kAccelerate };

YamlKind kind_of(const base::YamlDocument& document);

// A value of a document with its place in it.
class YamlNode {
 public:
  YamlNode(const base::YamlDocument& document, const std::string& file)
      : document_(&document), file_(&file), value_(&document.value) {}

  YamlNode operator[](std::string_view key) const;  // null where there is none
  YamlNode at(std::size_t index) const;
  bool exists() const { return value_ != nullptr && !value_->is_null(); }
  std::size_t size() const { return exists() && value_->is_array() ? value_->size() : 0; }
  bool is_object() const { return exists() && value_->is_object(); }
  std::string text() const;  // empty: no scalar
  bool is_true() const;
  std::optional<std::int64_t> number() const { return whole_number(text()); }
  const base::Json& json() const { return *value_; }  // of one that exists
  Origin origin() const;                              // "key spec.replicas"
  std::vector<std::string> keys() const;

 private:
  YamlNode(const YamlNode& parent, const base::Json* value, std::string path)
      : document_(parent.document_), file_(parent.file_), value_(value), path_(std::move(path)) {}

  const base::YamlDocument* document_;
  const std::string* file_;
  const base::Json* value_;
  std::string path_;
};

void read_kubernetes(const YamlNode& object, const Reading& reading);
void read_compose(const YamlNode& file, const Reading& reading);
void read_accelerate(const YamlNode& file, const Reading& reading);

}  // namespace lockstep::config
