#include "replay/compare/tensor_names.h"

#include <string_view>

#include <fmt/format.h>

#include "base/text_fields.h"

namespace lockstep::replay {
namespace {

void add_lines(std::string_view text, std::vector<NamedTensor>& parameters) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos) continue;
    const auto elements = base::number_in<std::uint64_t>(line.substr(space + 1));
    if (elements) parameters.push_back({std::string(line.substr(0, space)), *elements});
  }
}

}  // namespace

std::vector<NamedTensor> parameters_in(const Attributes& attributes) {
  std::vector<NamedTensor> parameters;
  for (std::size_t part = 0;; ++part) {
    const auto found = attributes.find(fmt::format("parameters {}", part));
    if (found == attributes.end()) return parameters;
    add_lines(found->second, parameters);
  }
}

std::vector<std::string> names_by_size(const std::vector<NamedTensor>& parameters, std::uint64_t elements) {
  std::vector<std::string> names;
  std::size_t runs = 0;
  for (std::size_t first = 0; first < parameters.size(); ++first) {
    std::uint64_t sum = 0;
    for (std::size_t last = first; last < parameters.size() && sum < elements; ++last) {
      sum += parameters[last].elements;
      if (sum != elements) continue;
      if (++runs > 1) return {};
      for (std::size_t i = first; i <= last; ++i) names.push_back(parameters[i].name);
    }
  }
  return names;
}

}  // namespace lockstep::replay
