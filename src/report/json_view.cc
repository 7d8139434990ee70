#include "report/json_view.h"

#include <fmt/format.h>

namespace lockstep::report {

Result<std::string> JsonView::text() const {
  if (!value_->is_string()) return wrong_type("a string");
  return value_->get<std::string>();
}

Result<double> JsonView::number() const {
  if (!value_->is_number()) return wrong_type("a number");
  return value_->get<double>();
}

Result<std::int64_t> JsonView::integer(std::int64_t largest) const {
  if (!value_->is_number_integer()) return wrong_type("an integer");
  // The parser keeps every integer from 0 on as unsigned, so a signed one is negative.
  const bool is_in_range =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(largest);
  if (!is_in_range) return wrong(fmt::format("is not between 0 and {}", largest), "");
  return value_->get<std::int64_t>();
}

Error JsonView::wrong(std::string_view complaint, std::string hint) const {
  const std::string_view subject = path_.empty() ? std::string_view("the document") : path_;
  return Error{"cannot read findings", std::string(source_), fmt::format("{} {}", subject, complaint),
               std::move(hint)};
}

Result<const base::Json*> JsonView::find(std::string_view name) const {
  if (!value_->is_object()) return wrong_type("an object");
  const auto member = value_->find(name);
  const base::Json* found = member == value_->end() ? nullptr : &*member;
  return found;
}

Result<std::vector<JsonView>> JsonView::elements(std::string_view name) const {
  const base::Json* array = TRY(find(name));
  std::vector<JsonView> views;
  if (array == nullptr) return views;
  if (!array->is_array()) return JsonView(*array, source_, path_of(name)).wrong_type("an array");
  views.reserve(array->size());
  for (const base::Json& element : *array) {
    views.emplace_back(element, source_, fmt::format("{}[{}]", path_of(name), views.size()));
  }
  return views;
}

std::string JsonView::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

Error JsonView::missing(std::string_view name) const {
  return JsonView(*value_, source_, path_of(name))
      .wrong("is missing", "every member it needs is in docs/formats/findings-json.md");
}

Error JsonView::wrong_type(std::string_view wanted) const {
  return wrong(fmt::format("is of type {}, not {}", value_->type_name(), wanted),
               "the type of every member is in docs/formats/findings-json.md");
}

}  // namespace lockstep::report
