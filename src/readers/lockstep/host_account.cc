#include "readers/lockstep/host_account.h"

#include <fmt/format.h>

#include "base/fast_json.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kSchema = "\"lockstep-host-v1\"";
constexpr std::size_t kHead = 256;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

}  // namespace

bool recognises_host_account(const Source& source) {
  return source.bytes.starts_with('{') &&
         source.bytes.substr(0, kHead).find(kSchema) != std::string_view::npos;
}

model::Job read_host_account(const Source& source) {
  model::Job job;
  job.sources = {source.name};
  base::FastJsonParser parser;
  const auto json = source.bytes.size() > kMostBytes ? std::nullopt : parser.parse(source.bytes);
  if (!json) {
    job.limits.push_back(fmt::format("{}: cut, so what it says is not known", source.name));
    return job;
  }
  base::for_each_element(base::member(*json, "limits"), [&](base::FastJson limit) {
    if (const auto text = base::string_of(limit)) job.limits.emplace_back(*text);
  });
  return job;
}

}  // namespace lockstep::readers
