// How a caller and an answering agent prove to each other, on a connection that is probed, that both have the
// token. Every message is small until both have: a large one tells something of the way only then.
//
//     caller                                        answerer
//     knock: magic, nonce                      --->
//                                              <--- nonce
//     request (sizes) and its seal             --->
//                                              <--- its host's number, sealed
//     large bytes                              --->
//                                              <--- one byte
//     one byte                                 --->
//                                              <--- large bytes
//     echoes: one byte                         --->
//                                              <--- one byte
//     a stream of bytes                        --->
//                                              <--- one byte
//
// What the request asks none of is left out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::probe {

inline constexpr std::string_view kKnockWord = "\x89LKPROB\n";
inline constexpr std::size_t kNonceBytes = 16;
inline constexpr std::size_t kSealBytes = 32;
inline constexpr char kMark = '+';

using Nonce = std::array<char, kNonceBytes>;

struct Request {
  std::uint32_t large_bytes = 0;
  std::uint32_t echoes = 0;
  std::uint32_t stream_bytes = 0;
};
inline constexpr std::size_t kRequestBytes = 12;
std::string to_bytes(const Request& request);
Request request_from(std::string_view bytes);  // kRequestBytes of them

// Of one connection, by the nonces of both.
struct Seals {
  std::string_view token;
  std::string nonces;  // the caller's, then the answerer's

  std::string of_request(std::string_view request) const;
  std::string of_answer(std::string_view host) const;
};
bool is_same_seal(std::string_view a, std::string_view b);

// From the kernel.
Nonce fresh_nonce();

}  // namespace lockstep::probe
