#include "check/probe/answerer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "check/probe/messages.h"

namespace lockstep::probe {

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
  if (!is_ours || request_.large_bytes > kMostLargeBytes) {
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

}  // namespace lockstep::probe
