#include "report/html/host_table.h"

#include <charconv>
#include <optional>

#include "base/escape.h"

namespace lockstep::html {
namespace {

using base::Json;

constexpr std::size_t kMostRows = 200;

std::optional<std::size_t> place_in(const std::string& text) {
  std::size_t place = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), place);
  return fault == std::errc{} && end == text.data() + text.size() ? std::optional(place) : std::nullopt;
}

std::optional<HostRow> row_in(const Json& json, std::size_t rows) {
  if (!json.is_object()) return std::nullopt;
  const auto hosts = json.find("hosts");
  const auto cells = json.find("cells");
  if (hosts == json.end() || !hosts->is_string() || cells == json.end() || !cells->is_string())
    return std::nullopt;
  HostRow row{hosts->get<std::string>(), cells->get<std::string>()};
  if (row.cells.size() != rows || row.cells.find_first_not_of("x?. ") != std::string::npos)
    return std::nullopt;
  const auto why = json.find("why");
  if (why == json.end() || !why->is_object()) return row;
  for (const auto& [place, text] : why->items()) {
    const auto at = place_in(place);
    if (at && *at < rows && text.is_string()) row.why[*at] = text.get<std::string>();
  }
  return row;
}

}  // namespace

Json encode(const std::vector<HostRow>& rows) {
  Json json = Json::array();
  for (const HostRow& row : rows) {
    Json why = Json::object();
    for (const auto& [place, text] : row.why) why[std::to_string(place)] = base::to_valid_utf8(text);
    json.push_back(
        {{"hosts", base::to_valid_utf8(row.hosts)}, {"cells", row.cells}, {"why", std::move(why)}});
  }
  return json;
}

std::vector<HostRow> decode_host_rows(const Json& matrix) {
  if (!matrix.is_array() || matrix.size() > kMostRows) return {};
  std::vector<HostRow> rows;
  for (const Json& json : matrix) {
    auto row = row_in(json, matrix.size());
    if (!row) return {};
    rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace lockstep::html
