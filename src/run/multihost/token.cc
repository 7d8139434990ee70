#include "run/multihost/token.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "run/multihost/sealed_stream.h"

namespace lockstep::multihost {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = 4096;  // of a file that may be something else
constexpr std::size_t kMinBytes = 16;    // a secret that cannot be guessed
constexpr mode_t kOnlyOwner = 0600;

// Nothing when it is not set or empty.
std::optional<std::string> variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    const bool is_it = entry.size() > name.size() + 1 && entry.starts_with(name) && entry[name.size()] == '=';
    if (is_it) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

Error no_token(std::string where, std::string why) {
  return {"the job's hosts have no token in common", std::move(where), std::move(why),
          "write one into a file that only you can read, and give it to all hosts with --token-file"};
}

std::optional<fs::path> own_file(const TokenSource& source) {
  const std::string home = variable(source.environment, "HOME").value_or("");
  if (home.empty()) return std::nullopt;
  return fs::path(home) / ".config/lockstep/token";
}

Result<std::string> checked(std::string text, const std::string& where) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.size() >= kMinBytes) return text;
  return no_token(where, fmt::format("a token has {} characters at least", kMinBytes));
}

Result<std::string> read_token(const fs::path& file) {
  return checked(TRY(base::read_file(file, kMaxBytes)), file.string());
}

// Of the file that everybody would take, others must not know what is in it.
Result<std::string> read_own(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return no_token(file.string(), std::strerror(errno));
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return no_token(file.string(), "others may read it: chmod 600 it, or remove it");
  }
  return read_token(file);
}

Result<std::string> token_text() {
  const auto nonce = random_nonce();
  if (!nonce) return no_token("", "there is no randomness");
  std::string text;
  for (const std::uint8_t byte : *nonce) text += fmt::format("{:02x}", byte);
  return text + "\n";
}

// Written beside it and then linked: of two hosts that make it at once, one wins, and nobody reads half of
// it.
Result<void> make_own(const fs::path& file) {
  std::error_code fault;
  fs::create_directories(file.parent_path(), fault);
  if (fault) return no_token(file.string(), fault.message());
  const std::string text = TRY(token_text());
  const fs::path made = fmt::format("{}.{}.{}", file.string(), text.substr(0, 8), ::getpid());
  const process::Descriptor open(::open(made.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kOnlyOwner));
  const bool is_written = open.is_open() && base::write_all(open.get(), text);
  const bool is_there = is_written && (::link(made.c_str(), file.c_str()) == 0 || errno == EEXIST);
  const int reason = errno;
  ::unlink(made.c_str());
  if (!is_there) return no_token(file.string(), std::strerror(reason));
  return {};
}

std::optional<Result<std::string>> given_token(const TokenSource& source) {
  if (source.file) return read_token(*source.file);
  for (const char* name : {"LOCKSTEP_TOKEN", "_HOROVOD_SECRET_KEY"}) {
    if (auto text = variable(source.environment, name)) return checked(*std::move(text), name);
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> find_token(const TokenSource& source) {
  if (auto given = given_token(source)) return *std::move(given);
  const auto own = own_file(source);
  if (!own) return no_token("", "there is no home folder");
  return read_own(*own);
}

Result<std::string> find_or_make_token(const TokenSource& source) {
  if (auto given = given_token(source)) return *std::move(given);
  const auto own = own_file(source);
  if (!own) return no_token("", "there is no home folder");
  std::error_code ignored;
  if (!fs::exists(*own, ignored)) TRY(make_own(*own));
  return read_own(*own);
}

}  // namespace lockstep::multihost
