#include "service/store/seal.h"

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "base/file.h"
#include "base/process/descriptor.h"
#include "service/job/job.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kLargestKeyFile = std::size_t{1} << 20;  // to tell how large a wrong one is
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { ::EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

Result<Seal> Seal::with_key_at(const std::filesystem::path& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) {
    std::string there = TRY(base::read_file(path, kLargestKeyFile));
    if (there.size() == kKeyBytes) return Seal(std::move(there));
    return Error{
        "the key of the job store is damaged", path.string(),
        fmt::format("it has {} bytes instead of {}", there.size(), kKeyBytes),
        "restore it from a backup; without it the environments of waiting jobs cannot be read. To start "
        "over, remove it and jobs.db"};
  }
  if (errno != ENOENT)
    return base::error_from_errno("cannot read the key of the job store", path,
                                  "only the user who runs the service may read it");
  const std::string key = random_bytes(kKeyBytes);
  const process::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const bool is_written = file.is_open() && base::write_all(file.get(), key) && ::fsync(file.get()) == 0;
  if (!is_written) return base::error_from_errno("cannot make the key of the job store", path);
  return Seal(key);
}

// nonce, tag, text (AES-256-GCM)
std::string Seal::close(std::string_view clear) const {
  const std::string nonce = random_bytes(kNonceBytes);
  std::string sealed(clear.size(), '\0');
  std::string tag(kTagBytes, '\0');
  const Context context(::EVP_CIPHER_CTX_new());
  int count = 0;
  const bool is_done = ::EVP_EncryptInit_ex(context.get(), ::EVP_aes_256_gcm(), nullptr, bytes_of(key_),
                                            bytes_of(nonce)) == 1 &&
                       ::EVP_EncryptUpdate(context.get(), bytes_of(sealed), &count, bytes_of(clear),
                                           static_cast<int>(clear.size())) == 1 &&
                       ::EVP_EncryptFinal_ex(context.get(), bytes_of(sealed) + count, &count) == 1 &&
                       ::EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()) == 1;
  CHECK(is_done, "AES-256-GCM is there and takes any text");
  return nonce + tag + sealed;
}

Result<std::string> Seal::open(std::string_view sealed) const {
  const Error damaged{"cannot read the environment of a job", "",
                      "it was sealed with another key, or is damaged",
                      "restore the 'key' file of this job store"};
  if (sealed.size() < kNonceBytes + kTagBytes) return damaged;
  std::string tag(sealed.substr(kNonceBytes, kTagBytes));
  const std::string_view text = sealed.substr(kNonceBytes + kTagBytes);
  std::string clear(text.size(), '\0');
  const Context context(::EVP_CIPHER_CTX_new());
  int count = 0;
  const bool is_done =
      ::EVP_DecryptInit_ex(context.get(), ::EVP_aes_256_gcm(), nullptr, bytes_of(key_), bytes_of(sealed)) ==
          1 &&
      ::EVP_DecryptUpdate(context.get(), bytes_of(clear), &count, bytes_of(text),
                          static_cast<int>(text.size())) == 1 &&
      ::EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1 &&
      ::EVP_DecryptFinal_ex(context.get(), bytes_of(clear) + count, &count) == 1;
  if (!is_done) return damaged;
  return clear;
}

std::string in_hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}

bool are_equal_hashes(std::string_view one, std::string_view other) {
  return one.size() == other.size() && ::CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string sha256(std::string_view text) {
  std::string digest(32, '\0');
  CHECK(::EVP_Digest(text.data(), text.size(), bytes_of(digest), nullptr, ::EVP_sha256(), nullptr) == 1,
        "SHA-256 is there");
  return in_hex(digest);
}

}  // namespace lockstep::service
