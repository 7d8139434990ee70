#include "service/client/channel.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <vector>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "base/text_fields.h"

namespace lockstep::service {

namespace {

Connection no_channel(Trouble trouble, Error error) {
  return {.trouble = trouble, .error = std::move(error)};
}

Result<std::unique_ptr<Channel>> channel_in(Connection connection) {
  if (connection.channel == nullptr) return std::move(connection.error);
  return std::move(connection.channel);
}

class UnixChannel : public Channel {
 public:
  explicit UnixChannel(process::Descriptor socket) : socket_(std::move(socket)) {}

  bool write_all(std::string_view bytes) override { return base::write_all(socket_.get(), bytes); }
  long read_some(char* bytes, std::size_t size) override {
    for (;;) {
      const ssize_t count = ::recv(socket_.get(), bytes, size, 0);
      if (count >= 0 || errno != EINTR) return count;
    }
  }

 private:
  process::Descriptor socket_;
};

}  // namespace

Connection open_unix(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof address.sun_path) {
    return no_channel(Trouble::kRefused,
                      {"cannot reach the service", path.string(), "the path of its socket is too long",
                       "set LOCKSTEP_STATE to a shorter folder"});
  }
  std::strcpy(address.sun_path, path.c_str());
  process::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.is_open() &&
      ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    return {.channel = std::make_unique<UnixChannel>(std::move(socket))};
  }
  return no_channel(Trouble::kAway, base::error_from_errno("cannot reach the service", path,
                                                           "start one with 'lockstep serve'"));
}

Result<std::unique_ptr<Channel>> connect_unix(const std::filesystem::path& path) {
  return channel_in(open_unix(path));
}

namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
};
struct FreeSession {
  void operator()(SSL* session) const { ::SSL_free(session); }
};
struct FreeAddresses {
  void operator()(addrinfo* found) const { ::freeaddrinfo(found); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;
using Tls = std::unique_ptr<SSL, FreeSession>;

class TlsChannel : public Channel {
 public:
  TlsChannel(process::Descriptor socket, Context context, Tls tls)
      : socket_(std::move(socket)), context_(std::move(context)), tls_(std::move(tls)) {}

  bool write_all(std::string_view bytes) override {
    std::size_t written = 0;
    return ::SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &written) == 1;
  }
  long read_some(char* bytes, std::size_t size) override {
    std::size_t count = 0;
    if (::SSL_read_ex(tls_.get(), bytes, size, &count) == 1) return static_cast<long>(count);
    return ::SSL_get_error(tls_.get(), 0) == SSL_ERROR_ZERO_RETURN ? 0 : -1;
  }

 private:
  process::Descriptor socket_;
  Context context_;
  Tls tls_;
};

std::string where_of(const RemotePlace& place) {
  return fmt::format("https://{}:{}", place.host, place.port);
}

void limit_waiting(const process::Descriptor& socket, std::chrono::seconds patience) {
  const timeval most{.tv_sec = static_cast<time_t>(patience.count()), .tv_usec = 0};
  for (const int way : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(socket.get(), SOL_SOCKET, way, &most, sizeof most);
}

Result<process::Descriptor> connected(const RemotePlace& place) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  const int outcome = ::getaddrinfo(place.host.c_str(), std::to_string(place.port).c_str(), &hints, &raw);
  const std::unique_ptr<addrinfo, FreeAddresses> found(raw);
  if (outcome != 0) return Error{"cannot reach the service", where_of(place), ::gai_strerror(outcome), ""};
  int fault = 0;
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    process::Descriptor socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    limit_waiting(socket, place.patience);
    if (socket.is_open() && ::connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0) return socket;
    fault = errno;
  }
  return Error{"cannot reach the service", where_of(place), std::strerror(fault),
               "is 'lockstep serve --listen' at work there?"};
}

struct FreeBytes {
  void operator()(BIO* bytes) const { ::BIO_free(bytes); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { ::X509_free(certificate); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
};
using Certificate = std::unique_ptr<X509, FreeCertificate>;

std::vector<Certificate> certificates_in(const std::string& pem) {
  const std::unique_ptr<BIO, FreeBytes> bytes(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::vector<Certificate> found;
  while (X509* one = ::PEM_read_bio_X509(bytes.get(), nullptr, nullptr, nullptr)) found.emplace_back(one);
  ::ERR_clear_error();
  return found;
}

bool trusts_pem(SSL_CTX* context, const std::string& pem) {
  const std::vector<Certificate> found = certificates_in(pem);
  for (const Certificate& one : found) {
    if (::X509_STORE_add_cert(::SSL_CTX_get_cert_store(context), one.get()) != 1) return false;
  }
  return !found.empty();
}

// With those that lead to its authority behind it.
bool shows_own_certificate(SSL_CTX* context, const RemotePlace::Pem& own) {
  if (own.certificate.empty()) return true;
  const std::vector<Certificate> chain = certificates_in(own.certificate);
  const std::unique_ptr<BIO, FreeBytes> bytes(
      ::BIO_new_mem_buf(own.key.data(), static_cast<int>(own.key.size())));
  const std::unique_ptr<EVP_PKEY, FreeKey> key(
      ::PEM_read_bio_PrivateKey(bytes.get(), nullptr, nullptr, nullptr));
  if (chain.empty() || key == nullptr) return false;
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (::SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1) return false;
  }
  return ::SSL_CTX_use_certificate(context, chain.front().get()) == 1 &&
         ::SSL_CTX_use_PrivateKey(context, key.get()) == 1;
}

bool trusts(SSL_CTX* context, const RemotePlace& place) {
  if (!place.pem.authorities.empty()) return trusts_pem(context, place.pem.authorities);
  if (place.authorities.empty()) return ::SSL_CTX_set_default_verify_paths(context) == 1;
  return ::SSL_CTX_load_verify_locations(context, place.authorities.c_str(), nullptr) == 1;
}

bool expects_host(SSL* tls, const std::string& host) {
  X509_VERIFY_PARAM* wanted = ::SSL_get0_param(tls);
  if (::X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1) return true;  // an address, no name
  return ::SSL_set_tlsext_host_name(tls, host.c_str()) == 1 && ::SSL_set1_host(tls, host.c_str()) == 1;
}

std::string why_not(SSL* tls) {
  const long verified = ::SSL_get_verify_result(tls);
  if (verified != X509_V_OK) return ::X509_verify_cert_error_string(verified);
  const unsigned long fault = ::ERR_get_error();
  const char* reason = fault == 0 ? nullptr : ::ERR_reason_error_string(fault);
  return reason == nullptr ? "the connection broke" : reason;
}

}  // namespace

Connection open_tls(const RemotePlace& place) {
  Context context(::SSL_CTX_new(::TLS_client_method()));
  const bool is_ready =
      context != nullptr && ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1;
  if (!is_ready || !trusts(context.get(), place)) {
    return no_channel(Trouble::kRefused, {"cannot read the certificates to trust", place.authorities.string(),
                                          "no PEM file with any", "give one with --tls-ca"});
  }
  if (!shows_own_certificate(context.get(), place.pem)) {
    return no_channel(Trouble::kRefused, {"cannot read the client's certificate", where_of(place),
                                          "no PEM with it and its key", ""});
  }
  ::SSL_CTX_set_verify(context.get(), place.is_unverified ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  auto socket = connected(place);
  if (!socket.ok()) return no_channel(Trouble::kAway, std::move(socket).error());
  Tls tls(::SSL_new(context.get()));
  const std::string& name = place.certified_name.empty() ? place.host : place.certified_name;
  const bool is_met = tls != nullptr && expects_host(tls.get(), name) &&
                      ::SSL_set_fd(tls.get(), socket.value().get()) == 1 && ::SSL_connect(tls.get()) == 1;
  if (!is_met) {
    return no_channel(Trouble::kRefused, {"cannot trust the service", where_of(place), why_not(tls.get()),
                                          "give the certificate of its authority with --tls-ca"});
  }
  return {.channel =
              std::make_unique<TlsChannel>(std::move(socket).value(), std::move(context), std::move(tls))};
}

Result<std::unique_ptr<Channel>> connect_tls(const RemotePlace& place) {
  return channel_in(open_tls(place));
}

Result<RemotePlace> remote_place(const std::string& url) {
  constexpr std::string_view kScheme = "https://";
  const Error wrong{"cannot reach the service", url, "no address of a service", "as https://HOST:PORT"};
  if (!url.starts_with(kScheme)) return wrong;
  std::string_view rest = std::string_view(url).substr(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  RemotePlace place;
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
  const std::size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string_view host = rest.substr(0, colon);
  if (bracket != std::string_view::npos && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const bool is_sound = !host.empty() && host.find_first_of("/[]?#@ ") == std::string_view::npos;
  if (!is_sound) return wrong;
  place.host = host;
  if (colon == std::string_view::npos) return place;
  const auto port = base::number_in<std::uint16_t>(rest.substr(colon + 1));
  if (!port || *port == 0) return wrong;
  place.port = *port;
  return place;
}

}  // namespace lockstep::service
