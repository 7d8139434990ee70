// The catalogue that the binary carries, packed at build time by symptoms/pack/main.cc.
#pragma once

#include <string_view>

namespace lockstep::logs {

std::string_view embedded_entries();      // JSON
std::string_view embedded_telling_set();  // base::PatternSet::to_bytes()
std::string_view embedded_quiet_set();
std::string_view embedded_fact_set();
std::string_view embedded_prefilter();         // Prefilter::to_bytes()
std::string_view embedded_guess_model();       // JSON, made by tools/train_guess
std::string_view embedded_confidence_model();  // JSON, made by tests/corpus/fit_confidence

}  // namespace lockstep::logs
