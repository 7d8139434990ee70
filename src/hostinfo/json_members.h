// Members of a JSON object, written and read by the same list of names: describe(io, value) names them once
// and both sides follow it.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/net/address.h"

namespace lockstep::hostinfo {

class MemberWriter {
 public:
  template <typename T>
  void member(const char* name, const T& value) {
    base::Json made = json_of(value);
    const bool says_nothing = made.is_null() || (made.is_structured() && made.empty()) || made == "";
    if (!says_nothing) object_[name] = std::move(made);
  }
  base::Json take() { return std::move(object_); }

 private:
  static base::Json json_of(const base::Address& address) { return to_text(address); }
  static base::Json json_of(const base::Prefix& prefix) { return to_text(prefix); }
  static base::Json json_of(base::Family family) { return family == base::Family::kIpv4 ? "ipv4" : "ipv6"; }
  static base::Json json_of(const std::string& text) { return text; }
  static base::Json json_of(const base::Json& json) { return json; }
  static base::Json json_of(bool value) { return value; }
  static base::Json json_of(double value) { return value; }
  template <std::integral T>
  static base::Json json_of(const T& value) {
    return value;
  }
  template <typename T>
  static base::Json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : base::Json(nullptr);
  }
  template <typename T>
  static base::Json json_of(const std::vector<T>& values) {
    base::Json list = base::Json::array();
    for (const T& value : values) list.push_back(json_of(value));
    return list;
  }
  template <typename T>
  static base::Json json_of(const std::map<std::string, T>& values) {
    base::Json object = base::Json::object();
    for (const auto& [key, value] : values) object[key] = json_of(value);
    return object;
  }
  template <typename T>
  static base::Json json_of(const T& value) {
    MemberWriter writer;
    describe(writer, const_cast<T&>(value));  // the writer's side of describe() reads only
    return writer.take();
  }

  base::Json object_ = base::Json::object();
};

class MemberReader {
 public:
  MemberReader(const base::Json& object, std::string place, std::vector<std::string>& faults)
      : object_(object), place_(std::move(place)), faults_(faults) {}

  template <typename T>
  void member(const char* name, T& value) {
    if (!object_.is_object()) return;
    const auto at = object_.find(name);
    if (at == object_.end()) return;
    read(*at, value, place_.empty() ? name : fmt::format("{}.{}", place_, name));
  }

 private:
  static constexpr std::size_t kMostFaults = 20;

  void refuse(const std::string& place, const char* wanted) {
    if (faults_.size() < kMostFaults) faults_.push_back(fmt::format("facts: {} is not {}", place, wanted));
  }
  void read(const base::Json& json, std::string& value, const std::string& place) {
    if (!json.is_string()) return refuse(place, "text");
    value = json.get<std::string>();
  }
  void read(const base::Json& json, base::Json& value, const std::string&) { value = json; }
  void read(const base::Json& json, bool& value, const std::string& place) {
    if (!json.is_boolean()) return refuse(place, "true or false");
    value = json.get<bool>();
  }
  void read(const base::Json& json, double& value, const std::string& place) {
    if (!json.is_number()) return refuse(place, "a number");
    value = json.get<double>();
  }
  template <std::integral T>
  void read(const base::Json& json, T& value, const std::string& place) {
    if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) {
      value = static_cast<T>(json.get<std::uint64_t>());
    } else if (json.is_number_integer() && !json.is_number_unsigned() &&
               std::in_range<T>(json.get<std::int64_t>())) {
      value = static_cast<T>(json.get<std::int64_t>());
    } else {
      refuse(place, "a number in range");
    }
  }
  void read(const base::Json& json, base::Address& value, const std::string& place) {
    const auto address = json.is_string() ? base::parse_address(json.get<std::string>()) : std::nullopt;
    if (!address) return refuse(place, "an address");
    value = *address;
  }
  void read(const base::Json& json, base::Prefix& value, const std::string& place) {
    const auto prefix = json.is_string() ? base::parse_prefix(json.get<std::string>()) : std::nullopt;
    if (!prefix) return refuse(place, "an address with a length");
    value = *prefix;
  }
  void read(const base::Json& json, base::Family& value, const std::string& place) {
    if (json != "ipv4" && json != "ipv6") return refuse(place, "ipv4 or ipv6");
    value = json == "ipv4" ? base::Family::kIpv4 : base::Family::kIpv6;
  }
  template <typename T>
  void read(const base::Json& json, std::optional<T>& value, const std::string& place) {
    if (json.is_null()) return;
    const std::size_t before = faults_.size();
    T inner{};
    read(json, inner, place);
    if (faults_.size() == before && faults_.size() < kMostFaults) value = std::move(inner);
  }
  template <typename T>
  void read(const base::Json& json, std::vector<T>& values, const std::string& place) {
    if (!json.is_array()) return refuse(place, "a list");
    values.reserve(json.size());
    for (const base::Json& item : json) {
      const std::size_t before = faults_.size();
      T value{};
      read(item, value, fmt::format("{}[{}]", place, &item - &*json.begin()));
      if (faults_.size() == before) values.push_back(std::move(value));
    }
  }
  template <typename T>
  void read(const base::Json& json, std::map<std::string, T>& values, const std::string& place) {
    if (!json.is_object()) return refuse(place, "an object");
    for (const auto& [key, item] : json.items()) {
      const std::size_t before = faults_.size();
      T value{};
      read(item, value, fmt::format("{}.{}", place, key));
      if (faults_.size() == before) values.emplace(key, std::move(value));
    }
  }
  template <typename T>
  void read(const base::Json& json, T& value, const std::string& place) {
    if (!json.is_object()) return refuse(place, "an object");
    MemberReader inner(json, place, faults_);
    describe(inner, value);
  }

  const base::Json& object_;
  std::string place_;
  std::vector<std::string>& faults_;
};

}  // namespace lockstep::hostinfo
