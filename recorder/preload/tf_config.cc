#include "tf_config.h"

#include <string.h>

#include "recorder/core/text.h"

namespace lockstep::recorder {
namespace {

constexpr const char* kRoles[] = {"chief", "master", "worker", "ps"};

const char* skip_spaces(const char* at) {
  while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') ++at;
  return at;
}

// Behind the closing quote of the string that begins at `at`; null when it never closes.
const char* skip_string(const char* at) {
  for (++at; *at != '"'; ++at) {
    if (*at == '\\') ++at;
    if (*at == '\0') return nullptr;
  }
  return at + 1;
}

// The value of member `key` of the object that begins at `object`, or null.
const char* member(const char* object, const char* key) {
  if (object == nullptr || *object != '{') return nullptr;
  int depth = 0;
  bool is_key = false;
  const std::size_t key_bytes = ::strlen(key);
  for (const char* at = object; at != nullptr && *at != '\0';) {
    if (*at == '{' || *at == '[') ++depth;
    if (*at == '}' || *at == ']') --depth;
    if (depth == 0) return nullptr;
    if (*at == '{' || *at == ',') is_key = true;
    if (*at != '"') {
      ++at;
      continue;
    }
    const char* name = at + 1;
    at = skip_string(at);
    if (at == nullptr) return nullptr;
    const bool is_it = is_key && depth == 1 && static_cast<std::size_t>(at - 1 - name) == key_bytes &&
                       ::memcmp(name, key, key_bytes) == 0;
    is_key = false;
    const char* colon = skip_spaces(at);
    if (is_it && *colon == ':') return skip_spaces(colon + 1);
  }
  return nullptr;
}

std::int32_t strings_in(const char* array) {
  if (array == nullptr || *array != '[') return 0;
  std::int32_t count = 0;
  for (const char* at = array + 1; at != nullptr && *at != '\0' && *at != ']';) {
    if (*at == '"') {
      ++count;
      at = skip_string(at);
    } else {
      ++at;
    }
  }
  return count;
}

bool is_string(const char* value, const char* expected) {
  const std::size_t bytes = ::strlen(expected);
  return value != nullptr && *value == '"' && ::strncmp(value + 1, expected, bytes) == 0 &&
         value[1 + bytes] == '"';
}

}  // namespace

RankIdentity rank_from_tf_config(const char* text) {
  const char* config = skip_spaces(text);
  const char* cluster = member(config, "cluster");
  const char* task = member(config, "task");
  const char* type = member(task, "type");
  const char* index_text = member(task, "index");
  if (index_text != nullptr && *index_text == '"') ++index_text;
  std::uint64_t index = 0;
  if (index_text == nullptr || parse_number(index_text, index) == nullptr) return {};

  RankIdentity identity;
  std::int32_t before = 0;
  for (const char* role : kRoles) {
    const std::int32_t count = strings_in(member(cluster, role));
    if (is_string(type, role) && index < static_cast<std::uint64_t>(count)) {
      identity.rank = before + static_cast<std::int32_t>(index);
    }
    before += count;
  }
  if (identity.rank >= 0) identity.world_size = before;
  return identity;
}

}  // namespace lockstep::recorder
