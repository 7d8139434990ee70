// Result<T>: a value, or the one Error a person will read. To become std::expected once both compilers have
// it.
//
// TRY(expr) unwraps a Result or returns its Error from the enclosing function:
//     std::string text = TRY(read_file(path));
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lockstep {

// Trouble caused by the user or the surroundings. Printed once, by cli: "what: where: why", then the hint.
struct Error {
  std::string what;   // what could not be done: "cannot read recording"
  std::string where;  // the file, flag or host: "run/rank_3.lockstep"
  std::string why;    // the reason: "no such file or directory"
  std::string hint;   // what to do next, as a command where there is one
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  const T& value() const& { return std::get<0>(state_); }
  T& value() & { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  void value() const {}
  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace lockstep

#define TRY(expr)                                               \
  ({                                                            \
    auto try_result = (expr);                                   \
    if (!try_result.ok()) return std::move(try_result).error(); \
    std::move(try_result).value();                              \
  })
