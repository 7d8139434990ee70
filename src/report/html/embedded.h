// The built page that the binary carries: page/dist/page.html, made by page/build.mjs.
#pragma once

#include <string_view>

namespace lockstep::html {

std::string_view embedded_page();

}  // namespace lockstep::html
