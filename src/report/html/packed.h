// Bytes that a browser unpacks: deflated (zlib's format, "deflate" of DecompressionStream), then base64.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::html {

std::string packed(std::string_view bytes);

}  // namespace lockstep::html
