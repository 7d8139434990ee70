#include "check/rules/functions.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/net/address.h"
#include "base/text_fields.h"
#include "base/text_search/regex.h"
#include "check/rules/expression.h"

namespace lockstep::rules {
namespace {

using base::Json;

std::optional<std::uint32_t> ipv4_in(std::string_view text) {
  in_addr address{};
  if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

struct Prefix {
  std::uint32_t bits = 0;
  int length = 32;
  std::uint32_t mask() const { return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length); }
};

std::optional<Prefix> prefix_in(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto bits = ipv4_in(text.substr(0, slash));
  const auto length =
      slash == std::string_view::npos ? std::optional<int>(32) : base::number_in<int>(text.substr(slash + 1));
  if (!bits || !length || *length < 0 || *length > 32) return std::nullopt;
  return Prefix{*bits, *length};
}

bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return inet_pton(AF_INET6, std::string(text.substr(0, text.find('%'))).c_str(), &address) == 1;
}

// localhost, 127.x, ::1.
bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "localhost.localdomain" || host == "ip6-localhost" || host == "::1")
    return true;
  const auto address = ipv4_in(host);
  return address && (*address >> 24) == 127;
}

// IPv4 or IPv6, not a name.
bool is_address(std::string_view text) {
  return ipv4_in(text).has_value() || is_ipv6(text);
}

// RFC 1918 and IPv6 unique local.
bool is_private(std::string_view address) {
  const auto bits = ipv4_in(address.substr(0, address.find('/')));
  if (!bits) return address.starts_with("fd") || address.starts_with("fc");
  return (*bits >> 24) == 10 || (*bits >> 20) == 0xAC1 || (*bits >> 16) == 0xC0A8;
}

// "ipv4", "ipv6", "name".
std::string family_of(std::string_view text) {
  const std::string_view address = text.substr(0, text.find('/'));
  if (ipv4_in(address)) return "ipv4";
  return is_ipv6(address) ? "ipv6" : "name";
}

// "10.0.0.5/24" is in "10.0.0.0/24". Nullopt: no IPv4 prefix.
std::optional<std::string> network_of(std::string_view text) {
  const auto prefix = prefix_in(text);
  if (!prefix) return std::nullopt;
  const std::uint32_t network = prefix->bits & prefix->mask();
  return fmt::format("{}.{}.{}.{}/{}", network >> 24, (network >> 16) & 255, (network >> 8) & 255,
                     network & 255, prefix->length);
}

std::optional<bool> is_in_network(std::string_view address, std::string_view network) {
  const auto prefix = prefix_in(network);
  const auto bits = ipv4_in(address.substr(0, address.find('/')));
  if (!prefix || !bits) return std::nullopt;
  return (*bits & prefix->mask()) == (prefix->bits & prefix->mask());
}

std::string host_part(std::string_view endpoint) {
  return base::endpoint_of(endpoint).host;
}

std::string port_part(std::string_view endpoint) {
  return base::endpoint_of(endpoint).port;
}

// Whether a value of NCCL_SOCKET_IFNAME or NCCL_IB_HCA takes an interface of that name.
bool nccl_selects(std::string_view value, std::string_view name) {
  const bool excludes = value.starts_with('^');
  if (excludes) value.remove_prefix(1);
  const bool is_exact = value.starts_with('=');
  if (is_exact) value.remove_prefix(1);
  bool is_listed = false;
  while (!value.empty()) {
    const std::string_view item = base::word_of(value, ',');
    value.remove_prefix(std::min(item.size() + 1, value.size()));
    const std::string_view entry = item.substr(0, item.find(':'));
    is_listed |= !entry.empty() && (is_exact ? name == entry : name.starts_with(entry));
  }
  return is_listed != excludes;
}

using Answer = std::optional<Json>;

template <typename Ask>
Answer of_text(const Json& json, Ask ask) {
  const auto text = as_text(json);
  if (!text) return std::nullopt;
  return ask(*text);
}

template <typename Ask>
Answer of_two_texts(Arguments given, Ask ask) {
  const auto one = as_text(given[0]);
  const auto other = as_text(given[1]);
  if (!one || !other) return std::nullopt;
  return ask(*one, *other);
}

Answer length(Arguments given) {
  if (given[0].is_string()) return given[0].get_ref<const std::string&>().size();
  if (given[0].is_structured()) return given[0].size();
  return std::nullopt;
}

Answer number(Arguments given) {
  const auto value = as_number(given[0]);
  return value ? Answer(*value) : std::nullopt;
}

Answer split(Arguments given) {
  return of_two_texts(given, [](std::string_view text, std::string_view mark) -> Answer {
    Json parts = Json::array();
    while (!mark.empty()) {
      const std::size_t end = text.find(mark);
      parts.push_back(std::string(text.substr(0, end)));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + mark.size());
    }
    return parts;
  });
}

Answer matches(Arguments given) {
  return of_two_texts(given, [](const std::string& text, const std::string& pattern) -> Answer {
    const auto regex = base::Regex::compile(pattern, "rule");
    if (!regex.ok()) return std::nullopt;
    return regex.value().found_in(text);
  });
}

Json distinct_items(const Json& list) {
  Json items = Json::array();
  for (const Json& item : list) {
    const bool is_there = std::ranges::any_of(items, [&](const Json& seen) { return are_equal(seen, item); });
    if (!is_there) items.push_back(item);
  }
  return items;
}

Answer distinct(Arguments given) {
  if (!given[0].is_array()) return std::nullopt;
  return distinct_items(given[0]);
}

Answer duplicates(Arguments given) {
  if (!given[0].is_array()) return std::nullopt;
  Json twice = Json::array();
  for (std::size_t i = 0; i < given[0].size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (are_equal(given[0][i], given[0][k])) twice.push_back(given[0][i]);
    }
  }
  return distinct_items(twice);
}

Answer flatten(Arguments given) {
  if (!given[0].is_array()) return std::nullopt;
  Json flat = Json::array();
  for (const Json& item : given[0]) {
    if (!item.is_array()) {
      flat.push_back(item);
      continue;
    }
    for (const Json& inner : item) flat.push_back(inner);
  }
  return flat;
}

Answer sorted(Arguments given) {
  if (!given[0].is_array()) return std::nullopt;
  std::vector<Json> list(given[0].begin(), given[0].end());
  std::sort(list.begin(), list.end());
  return Json(list);
}

Answer first(Arguments given) {
  if (!given[0].is_array() || given[0].empty()) return std::nullopt;
  return given[0].front();
}

template <typename Fold>
Answer fold_numbers(Arguments given, Fold fold) {
  if (!given[0].is_array() || given[0].empty()) return std::nullopt;
  std::optional<std::int64_t> result;
  for (const Json& item : given[0]) {
    const auto value = as_number(item);
    if (!value) return std::nullopt;
    result = result ? fold(*result, *value) : *value;
  }
  return *result;
}

Answer sum(Arguments given) {
  return fold_numbers(given, [](std::int64_t a, std::int64_t b) {
    std::int64_t total = 0;
    return __builtin_add_overflow(a, b, &total) ? a : total;
  });
}
Answer smallest(Arguments given) {
  return fold_numbers(given, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}
Answer largest(Arguments given) {
  return fold_numbers(given, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

Answer keys(Arguments given) {
  if (!given[0].is_object()) return std::nullopt;
  Json names = Json::array();
  for (const auto& [name, value] : given[0].items()) names.push_back(name);
  return names;
}

Answer values(Arguments given) {
  if (!given[0].is_object()) return std::nullopt;
  Json all = Json::array();
  for (const Json& value : given[0]) all.push_back(value);
  return all;
}

// "2.21.5+cuda12": its numbers, as far as there are any.
std::vector<std::int64_t> version_numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (true) {
    const std::size_t end = text.find_first_not_of("0123456789");
    const auto part = base::number_in<std::int64_t>(text.substr(0, end));
    if (!part) return numbers;
    numbers.push_back(*part);
    if (end == std::string_view::npos || text[end] != '.') return numbers;
    text.remove_prefix(end + 1);
  }
}

Answer version_below(Arguments given) {
  return of_two_texts(given, [](const std::string& one, const std::string& other) -> Answer {
    const auto left = version_numbers(one);
    const auto right = version_numbers(other);
    if (left.empty() || right.empty()) return std::nullopt;
    return std::ranges::lexicographical_compare(left, right);
  });
}

Answer version_part(Arguments given) {
  const auto place = as_number(given[1]);
  const auto text = as_text(given[0]);
  if (!place || !text) return std::nullopt;
  const auto numbers = version_numbers(*text);
  if (*place < 1 || static_cast<std::size_t>(*place) > numbers.size()) return std::nullopt;
  return numbers[static_cast<std::size_t>(*place) - 1];
}

Answer lower(Arguments given) {
  return of_text(given[0], [](std::string text) -> Answer {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return text;
  });
}

struct Function {
  std::string_view name;
  std::size_t arguments;
  Answer (*call)(Arguments given);
};

constexpr Function kFunctions[] = {
    {"len", 1, length},
    {"number", 1, number},
    {"is_number", 1, [](Arguments given) -> Answer { return as_number(given[0]).has_value(); }},
    {"lower", 1, lower},
    {"split", 2, split},
    {"contains", 2, contains},
    {"matches", 2, matches},
    {"starts_with", 2,
     [](Arguments given) {
       return of_two_texts(given, [](const std::string& text, const std::string& part) -> Answer {
         return text.starts_with(part);
       });
     }},
    {"distinct", 1, distinct},
    {"duplicates", 1, duplicates},
    {"flatten", 1, flatten},
    {"sorted", 1, sorted},
    {"first", 1, first},
    {"sum", 1, sum},
    {"smallest", 1, smallest},
    {"largest", 1, largest},
    {"keys", 1, keys},
    {"values", 1, values},
    {"version_below", 2, version_below},
    {"version_part", 2, version_part},
    {"is_loopback", 1,
     [](Arguments given) {
       return of_text(given[0], [](const std::string& text) -> Answer { return is_loopback(text); });
     }},
    {"is_address", 1,
     [](Arguments given) {
       return of_text(given[0], [](const std::string& text) -> Answer { return is_address(text); });
     }},
    {"is_private", 1,
     [](Arguments given) {
       return of_text(given[0], [](const std::string& text) -> Answer { return is_private(text); });
     }},
    {"family_of", 1,
     [](Arguments given) {
       return of_text(given[0], [](const std::string& text) -> Answer { return family_of(text); });
     }},
    {"address_of", 1,
     [](Arguments given) {
       return of_text(given[0],
                      [](const std::string& text) -> Answer { return text.substr(0, text.find('/')); });
     }},
    {"network_of", 1,
     [](Arguments given) {
       return of_text(given[0], [](const std::string& text) -> Answer {
         const auto network = network_of(text);
         return network ? Answer(*network) : std::nullopt;
       });
     }},
    {"in_network", 2,
     [](Arguments given) {
       return of_two_texts(given, [](const std::string& address, const std::string& network) -> Answer {
         const auto is_in = is_in_network(address, network);
         return is_in ? Answer(*is_in) : std::nullopt;
       });
     }},
    {"host_of", 1,
     [](Arguments given) {
       return of_text(given[0], [](const std::string& text) -> Answer { return host_part(text); });
     }},
    {"port_of", 1,
     [](Arguments given) {
       return of_text(given[0], [](const std::string& text) -> Answer {
         const std::string port = port_part(text);
         return port.empty() ? std::nullopt : Answer(port);
       });
     }},
    {"nccl_selects", 2,
     [](Arguments given) {
       return of_two_texts(given, [](const std::string& value, const std::string& name) -> Answer {
         return nccl_selects(value, name);
       });
     }},
};

}  // namespace

std::optional<std::string> as_text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return std::to_string(json.get<std::int64_t>());
  return std::nullopt;
}

std::optional<std::int64_t> as_number(const Json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_string())
    return base::number_in<std::int64_t>(base::trimmed(json.get_ref<const std::string&>()));
  return std::nullopt;
}

bool are_equal(const Json& one, const Json& other) {
  if (one == other) return true;
  const bool are_both_plain = !one.is_structured() && !other.is_structured();
  const bool has_number = one.is_number() || other.is_number();
  if (!are_both_plain || !has_number) return false;
  const auto left = as_number(one);
  return left && left == as_number(other);
}

Answer contains(Arguments given) {
  if (given[0].is_array()) {
    return std::ranges::any_of(given[0], [&](const Json& item) { return are_equal(item, given[1]); });
  }
  return of_two_texts(given, [](const std::string& text, const std::string& part) -> Answer {
    return text.find(part) != std::string::npos;
  });
}

std::optional<std::size_t> function_named(std::string_view name, std::size_t arguments) {
  const auto* const found = std::ranges::find_if(
      kFunctions, [&](const Function& known) { return known.name == name && known.arguments == arguments; });
  if (found == std::end(kFunctions)) return std::nullopt;
  return static_cast<std::size_t>(found - std::begin(kFunctions));
}

std::optional<Json> call_function(std::size_t function, Arguments arguments) {
  return kFunctions[function].call(arguments);
}

}  // namespace lockstep::rules
