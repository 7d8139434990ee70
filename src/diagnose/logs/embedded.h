// The fitted models that the binary carries.
#pragma once

#include <string_view>

namespace lockstep::logs {

std::string_view embedded_guess_model();       // JSON, made by tools/train_guess
std::string_view embedded_confidence_model();  // JSON, made by tests/corpus/fit_confidence

}  // namespace lockstep::logs
