#include "check/probe/handshake.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "check/probe/messages.h"
#include "run/multihost/sealed_stream.h"

namespace lockstep::probe {
namespace {

std::string sealed(std::string_view token, std::string_view who, std::string_view nonces,
                   std::string_view text) {
  std::string whole(who);
  whole += nonces;
  whole += text;
  const multihost::Mac mac = multihost::hmac_sha256(token, whole);
  return {reinterpret_cast<const char*>(mac.data()), mac.size()};
}

}  // namespace

std::string to_bytes(const Request& request) {
  std::string bytes(kRequestBytes, '\0');
  const std::uint32_t numbers[] = {request.large_bytes, request.echoes, request.stream_bytes};
  static_assert(sizeof numbers == kRequestBytes);
  std::memcpy(bytes.data(), numbers, sizeof numbers);
  return bytes;
}

Request request_from(std::string_view bytes) {
  std::uint32_t numbers[3] = {};
  std::memcpy(numbers, bytes.data(), sizeof numbers);
  return {.large_bytes = numbers[0], .echoes = numbers[1], .stream_bytes = numbers[2]};
}

std::string Seals::of_request(std::string_view request) const {
  return sealed(token, "lockstep probe 1 caller\n", nonces, request);
}

std::string Seals::of_answer(std::string_view host) const {
  return sealed(token, "lockstep probe 1 answerer\n", nonces, host);
}

bool is_same_seal(std::string_view a, std::string_view b) {
  multihost::Mac mac{};
  if (a.size() != mac.size()) return false;
  std::memcpy(mac.data(), a.data(), mac.size());
  return multihost::is_equal(mac, b);
}

Nonce fresh_nonce() {
  const auto random = multihost::random_nonce();
  CHECK(random.has_value(), "the kernel gives no random bytes");
  Nonce nonce;
  std::memcpy(nonce.data(), random->data(), nonce.size());
  return nonce;
}

std::size_t Answerer::wanted() const {
  switch (step_) {
    case Step::kKnock:
      return kKnockWord.size() + kNonceBytes;
    case Step::kRequest:
      return kRequestBytes + kSealBytes;
    default:
      return 1;
  }
}

void Answerer::take(std::string_view bytes) {
  while (!bytes.empty() && step_ != Step::kRefused && step_ != Step::kOver) {
    if (to_skip_ > 0) {
      const std::size_t skipped = std::min<std::uint64_t>(to_skip_, bytes.size());
      bytes.remove_prefix(skipped);
      to_skip_ -= skipped;
      if (to_skip_ == 0) step({});
      continue;
    }
    const std::size_t missing = std::min(bytes.size(), wanted() - in_.size());
    in_ += bytes.substr(0, missing);
    bytes.remove_prefix(missing);
    const std::string_view begun = std::string_view(in_).substr(0, kKnockWord.size());
    if (step_ == Step::kKnock && begun != kKnockWord.substr(0, begun.size())) step_ = Step::kRefused;
    if (in_.size() < wanted() || step_ == Step::kRefused) continue;
    const std::string whole = std::exchange(in_, {});
    step(whole);
  }
}

void Answerer::step(std::string_view bytes) {
  switch (step_) {
    case Step::kKnock:
      nonces_ = bytes.substr(kKnockWord.size());
      nonces_.append(nonce_.data(), nonce_.size());
      out_.append(nonce_.data(), nonce_.size());
      step_ = Step::kRequest;
      return;
    case Step::kRequest:
      return take_request(bytes);
    case Step::kLarge:
      out_ += kMark;
      step_ = Step::kGoOn;
      return;
    case Step::kGoOn:
      out_.append(request_.large_bytes, kMark);
      return begin(Step::kEchoes);
    case Step::kEchoes:
      out_ += kMark;
      if (--echoes_left_ == 0) begin(Step::kStream);
      return;
    case Step::kStream:
      out_ += kMark;
      step_ = Step::kOver;
      return;
    case Step::kOver:
    case Step::kRefused:
      return;
  }
}

void Answerer::take_request(std::string_view bytes) {
  const Seals seals{token_, nonces_};
  const std::string_view request = bytes.substr(0, kRequestBytes);
  request_ = request_from(request);
  const bool is_ours = is_same_seal(seals.of_request(request), bytes.substr(kRequestBytes));
  if (!is_ours || request_.large_bytes > kMaxLargeBytes) {
    step_ = Step::kRefused;
    return;
  }
  is_trusted_ = true;
  std::string host(sizeof own_number_, '\0');
  std::memcpy(host.data(), &own_number_, sizeof own_number_);
  out_ += host + seals.of_answer(host);
  begin(Step::kLarge);
}

// The first of the steps from here on of which something is asked.
void Answerer::begin(Step step) {
  step_ = step;
  if (step_ == Step::kLarge) {
    to_skip_ = request_.large_bytes;
    if (to_skip_ == 0) step_ = Step::kEchoes;
  }
  if (step_ == Step::kEchoes) {
    echoes_left_ = request_.echoes;
    if (echoes_left_ == 0) step_ = Step::kStream;
  }
  if (step_ == Step::kStream) {
    to_skip_ = request_.stream_bytes;
    if (to_skip_ == 0) step_ = Step::kOver;
  }
}

void Answerer::wrote(std::size_t count) {
  out_begin_ += count;
  if (out_begin_ < out_.size()) return;
  out_.clear();
  out_begin_ = 0;
}

namespace {

// A stream is sent from here, over and over.
const std::string& stream_bytes() {
  static const std::string bytes(std::size_t{256} << 10, kMark);
  return bytes;
}

std::uint64_t ns_between(Caller::Clock::time_point a, Caller::Clock::time_point b) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(1, std::chrono::duration_cast<std::chrono::nanoseconds>(b - a).count()));
}

}  // namespace

Caller::Caller(std::string_view token, std::uint32_t expected_host, const Request& request,
               const Nonce& nonce)
    : token_(token), expected_host_(expected_host), request_(request), nonces_(nonce.data(), nonce.size()) {
  out_ = std::string(kKnockWord) + nonces_;
}

std::size_t Caller::wanted() const {
  switch (step_) {
    case Step::kNonce:
      return kNonceBytes;
    case Step::kAnswer:
      return sizeof answered_by_ + kSealBytes;
    default:
      return 1;
  }
}

void Caller::take(std::string_view bytes, Clock::time_point now) {
  while (!bytes.empty() && step_ != Step::kOver) {
    if (to_skip_ > 0) {
      const std::size_t skipped = std::min<std::uint64_t>(to_skip_, bytes.size());
      bytes.remove_prefix(skipped);
      to_skip_ -= skipped;
      if (to_skip_ == 0) begin(Step::kEchoes, now);
      continue;
    }
    const std::size_t missing = std::min(bytes.size(), wanted() - in_.size());
    in_ += bytes.substr(0, missing);
    bytes.remove_prefix(missing);
    if (in_.size() < wanted()) continue;
    const std::string whole = std::exchange(in_, {});
    step(whole, now);
  }
}

void Caller::step(std::string_view bytes, Clock::time_point now) {
  switch (step_) {
    case Step::kNonce: {
      nonces_ += bytes;
      const std::string request = to_bytes(request_);
      out_ += request + Seals{token_, nonces_}.of_request(request);
      step_ = Step::kAnswer;
      ++steps_;
      return;
    }
    case Step::kAnswer: {
      const std::string_view host = bytes.substr(0, sizeof answered_by_);
      is_refused_ = !is_same_seal(Seals{token_, nonces_}.of_answer(host), bytes.substr(host.size()));
      std::memcpy(&answered_by_, host.data(), sizeof answered_by_);
      is_wrong_host_ = answered_by_ != expected_host_;
      return begin(is_refused_ || is_wrong_host_ ? Step::kOver : Step::kLargeTaken, now);
    }
    case Step::kLargeTaken:
      out_ += kMark;
      return begin(Step::kLargeBack, now);
    case Step::kEchoes:
      echoes_ns_.push_back(ns_between(began_, now));
      if (echoes_ns_.size() == request_.echoes) return begin(Step::kStream, now);
      out_ += kMark;
      began_ = now;
      return;
    case Step::kStream: {
      const double seconds = static_cast<double>(ns_between(began_, now)) * 1e-9;
      bytes_per_s_ = static_cast<std::uint64_t>(static_cast<double>(request_.stream_bytes) / seconds);
      return begin(Step::kOver, now);
    }
    case Step::kLargeBack:
    case Step::kOver:
      return;
  }
}

// The first of the steps from here on of which something is asked.
void Caller::begin(Step step, Clock::time_point now) {
  ++steps_;
  step_ = step;
  if (step_ == Step::kLargeTaken) {
    out_.append(request_.large_bytes, kMark);
    if (request_.large_bytes == 0) step_ = Step::kEchoes;
  }
  if (step_ == Step::kLargeBack) to_skip_ = request_.large_bytes;
  if (step_ == Step::kEchoes) {
    if (request_.echoes > 0) out_ += kMark;
    began_ = now;
    if (request_.echoes == 0) step_ = Step::kStream;
  }
  if (step_ == Step::kStream) {
    to_stream_ = request_.stream_bytes;
    began_ = now;
    if (to_stream_ == 0) step_ = Step::kOver;
  }
}

std::string_view Caller::unsent() const {
  if (!out_.empty()) return out_;
  return std::string_view(stream_bytes())
      .substr(0, std::min<std::uint64_t>(to_stream_, stream_bytes().size()));
}

void Caller::wrote(std::size_t count) {
  if (out_.empty()) {
    to_stream_ -= count;
  } else {
    out_.erase(0, count);
  }
}

End Caller::end() const {
  if (is_refused_ || step_ == Step::kNonce || step_ == Step::kAnswer) return End::kNoAnswer;
  if (is_wrong_host_) return End::kWrongHost;
  if (step_ == Step::kLargeTaken) return End::kLargeLost;
  if (step_ == Step::kLargeBack) return End::kLargeLostBack;
  return End::kOpen;  // measuring may not have come to its end
}

void Caller::tell(Outcome& outcome) const {
  outcome.answered_by = answered_by_;
  outcome.bytes_per_s = bytes_per_s_;
  if (echoes_ns_.empty()) return;
  std::vector<std::uint64_t> sorted = echoes_ns_;
  std::ranges::sort(sorted);
  outcome.latency_ns = sorted[sorted.size() / 2];
}

}  // namespace lockstep::probe
