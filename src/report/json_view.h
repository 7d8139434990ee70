// One value of a parsed document together with its path, so that every complaint names the place:
// "findings[2].leaf". A view borrows the document and the name of its source; both outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lockstep::report {

class JsonView {
 public:
  JsonView(const base::Json& value, std::string_view source, std::string path)
      : value_(&value), source_(source), path_(std::move(path)) {}

  Result<std::string> text() const;
  Result<double> number() const;
  Result<std::int64_t> integer(std::int64_t largest) const;  // from 0

  // Members, each read by a function from JsonView to Result<T>. Members nobody asks for are ignored.
  template <typename Read>
  using Outcome = std::invoke_result_t<Read, const JsonView&>;
  template <typename Read>
  using Value = std::remove_cvref_t<decltype(std::declval<Outcome<Read>>().value())>;

  template <typename Read>
  Outcome<Read> required(std::string_view name, Read read) const {
    const base::Json* found = TRY(find(name));
    if (found == nullptr) return missing(name);
    return read(JsonView(*found, source_, path_of(name)));
  }

  template <typename Read>
  Result<std::optional<Value<Read>>> optional(std::string_view name, Read read) const {
    const base::Json* found = TRY(find(name));
    if (found == nullptr) return std::optional<Value<Read>>();
    return std::optional<Value<Read>>(TRY(read(JsonView(*found, source_, path_of(name)))));
  }

  // Every element of an array; an absent array is an empty one.
  template <typename Read>
  Result<std::vector<Value<Read>>> list(std::string_view name, Read read) const {
    const std::vector<JsonView> views = TRY(elements(name));
    std::vector<Value<Read>> values;
    values.reserve(views.size());
    for (const JsonView& element : views) values.push_back(TRY(read(element)));
    return values;
  }

  // "findings[2].leaf COMPLAINT"
  Error wrong(std::string_view complaint, std::string hint) const;

 private:
  Result<const base::Json*> find(std::string_view name) const;
  Result<std::vector<JsonView>> elements(std::string_view name) const;
  std::string path_of(std::string_view name) const;
  Error missing(std::string_view name) const;
  Error wrong_type(std::string_view wanted) const;

  const base::Json* value_;
  std::string_view source_;
  std::string path_;
};

}  // namespace lockstep::report
