// Files that come along with a request: path and content, a text where it is one, base64 where it is not.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/json.h"

namespace lockstep::service {

// None: it is neither.
std::optional<std::string> content_of_file(const base::Json& value);

// Of a value in which every content is one.
std::map<std::string, std::string> decode_files(const base::Json& value);
base::Json encode_files(const std::map<std::string, std::string>& files);

}  // namespace lockstep::service
