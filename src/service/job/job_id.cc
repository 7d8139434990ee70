#include "service/job/job_id.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <sys/random.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/check.h"

namespace lockstep::service {
namespace {

// Crockford's alphabet: no letter looks like a digit, and the order of the text is that of the number.
constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::string_view kPrefix = "job_";
constexpr std::size_t kTimeDigits = 10;
constexpr std::size_t kRandomDigits = 16;

}  // namespace

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t done = 0; done < count;) {
    const ssize_t got = ::getrandom(bytes.data() + done, count - done, 0);
    CHECK(got > 0 || errno == EINTR, "the kernel gives random bytes");
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string least_job_id(std::int64_t ms) {
  std::string id(kPrefix);
  for (std::size_t i = 0; i < kTimeDigits; ++i) {
    const std::size_t shift = 5 * (kTimeDigits - 1 - i);
    id += kDigits[static_cast<std::size_t>(ms >> shift) & 31];
  }
  return id;
}

std::string make_job_id(std::int64_t now_ms) {
  std::string id = least_job_id(now_ms);
  for (const char byte : random_bytes(kRandomDigits)) id += kDigits[static_cast<unsigned char>(byte) & 31];
  return id;
}

bool is_job_id(std::string_view text) {
  return text.size() == kPrefix.size() + kTimeDigits + kRandomDigits && text.starts_with(kPrefix) &&
         std::ranges::all_of(text.substr(kPrefix.size()),
                             [](char c) { return kDigits.find(c) != std::string_view::npos; });
}

std::int64_t now_in_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string rfc3339(std::int64_t ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(ms / 1000)),
                     ms % 1000);
}

}  // namespace lockstep::service
