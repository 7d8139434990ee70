// The catalogue that the binary carries, packed at build time by src/catalogue/pack/main.cc.
#pragma once

#include <string_view>

namespace lockstep::catalogue {

std::string_view embedded_entries();      // Catalogue::Packed::entries
std::string_view embedded_advice();       // Catalogue::Packed::advice
std::string_view embedded_telling_set();  // base::PatternSet::to_bytes()
std::string_view embedded_quiet_set();
std::string_view embedded_fact_set();
std::string_view embedded_prefilter();  // Prefilter::to_bytes()

}  // namespace lockstep::catalogue
