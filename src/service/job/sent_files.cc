#include "service/job/sent_files.h"

#include "base/escape.h"

namespace lockstep::service {
namespace {

constexpr const char* kBase64 = "base64";

}  // namespace

using base::Json;

std::optional<std::string> content_of_file(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  const bool is_bytes = value.is_object() && value.size() == 1 && value.contains(kBase64);
  if (!is_bytes || !value[kBase64].is_string()) return std::nullopt;
  return base::from_base64(value[kBase64].get_ref<const std::string&>());
}

std::map<std::string, std::string> decode_files(const Json& value) {
  std::map<std::string, std::string> files;
  for (const auto& [path, content] : value.items()) files[path] = content_of_file(content).value_or("");
  return files;
}

Json encode_files(const std::map<std::string, std::string>& files) {
  Json json = Json::object();
  for (const auto& [path, content] : files) {
    const bool is_text = base::to_valid_utf8(content) == content;
    json[path] = is_text ? Json(content) : Json{{kBase64, base::to_base64(content)}};
  }
  return json;
}

}  // namespace lockstep::service
