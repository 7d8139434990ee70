#include "run/multihost/messages.h"

#include <type_traits>
#include <utility>

#include "base/packing.h"

namespace lockstep::multihost {

namespace {

class Packer : public base::Packer {
 public:
  using base::Packer::operator();
  void operator()(EvidenceKind kind) { (*this)(static_cast<std::uint8_t>(kind)); }
  void operator()(const std::vector<ProcessState>& states);
};

class Unpacker : public base::Unpacker {
 public:
  using base::Unpacker::Unpacker;
  using base::Unpacker::operator();
  void operator()(EvidenceKind& kind) {
    std::uint8_t number = 0;
    (*this)(number);
    require(number < kEvidenceKinds);
    if (is_good()) kind = static_cast<EvidenceKind>(number);
  }
  void operator()(std::vector<ProcessState>& states);
};

// The fields of every message, once for both ways.
template <typename M, typename Use>
void visit_fields(M& m, Use& use) {
  using T = std::remove_const_t<M>;
  if constexpr (std::is_same_v<T, Join>) {
    use(m.host), use(m.version), use(m.index), use(m.sent_ns);
  } else if constexpr (std::is_same_v<T, Welcome>) {
    use(m.host), use(m.echoed_ns), use(m.head_ns);
  } else if constexpr (std::is_same_v<T, RankFile>) {
    use(m.name.rank), use(m.name.restart), use(m.header);
  } else if constexpr (std::is_same_v<T, RecordBytes>) {
    use(m.name.rank), use(m.name.restart), use(m.offset), use(m.is_new_chunk), use(m.bytes);
  } else if constexpr (std::is_same_v<T, ProcessState>) {
    use(m.name.rank), use(m.name.restart), use(m.state), use(m.cpu_ticks);
  } else if constexpr (std::is_same_v<T, Pulse>) {
    use(m.sent_ns), use(m.as_of_ns), use(m.clock_lead_ns), use(m.changed);
  } else if constexpr (std::is_same_v<T, EvidenceFile>) {
    use(m.kind), use(m.name.rank), use(m.name.restart), use(m.text);
  } else if constexpr (std::is_same_v<T, Output>) {
    use(m.is_err), use(m.text);
  } else if constexpr (std::is_same_v<T, Bye>) {
    use(m.status);
  } else if constexpr (std::is_same_v<T, HeadNotice>) {
    use(m.kind), use(m.finding), use(m.standing);
  } else {
    static_assert(std::is_same_v<T, HeadVerdict>);
    use(m.recording), use(m.findings);
  }
}

constexpr std::size_t kStateBytes = 4 + 4 + 1 + 8;

void Packer::operator()(const std::vector<ProcessState>& states) {
  (*this)(static_cast<std::uint32_t>(states.size()));
  for (const ProcessState& state : states) visit_fields(state, *this);
}

void Unpacker::operator()(std::vector<ProcessState>& states) {
  states.resize(count(kStateBytes));
  for (ProcessState& state : states) visit_fields(state, *this);
}

// Near enough to now that sums of two of them fit.
bool is_time(std::int64_t ns) {
  constexpr std::int64_t kFarthestNs = std::int64_t{1} << 62;
  return -kFarthestNs < ns && ns < kFarthestNs;
}

template <typename M>
bool is_sensible(const M& /*message*/) {
  return true;
}
bool is_sensible(const Join& join) {
  return is_time(join.sent_ns);
}
bool is_sensible(const Welcome& welcome) {
  return is_time(welcome.echoed_ns) && is_time(welcome.head_ns);
}
bool is_sensible(const Pulse& pulse) {
  return is_time(pulse.sent_ns) && is_time(pulse.as_of_ns) && is_time(pulse.clock_lead_ns);
}

}  // namespace

std::string encode(const Message& message) {
  return base::packed_variant<Packer>(message,
                                      [](const auto& one, Packer& packer) { visit_fields(one, packer); });
}

std::optional<Message> decode(std::string_view bytes) {
  if (bytes.size() > kMaxMessageBytes) return std::nullopt;
  return base::unpacked_variant<Message, Unpacker>(bytes, [](auto& one, Unpacker& unpacker) {
    visit_fields(one, unpacker);
    return is_sensible(one);
  });
}

namespace {

constexpr Protocol kHostsProtocol{
    .magic = "\x89LKHOST\n", .version = kProtocolVersion, .max_message_bytes = kMaxMessageBytes};

}  // namespace

Conversation::Conversation(Side side, std::string token, const Nonce& nonce)
    : stream_(kHostsProtocol, side, std::move(token), nonce) {}

void Conversation::take(std::string_view bytes) {
  stream_.take(bytes);
  while (const auto body = stream_.next()) {
    auto message = decode(*body);
    if (!message) return stream_.fail(Trouble::kBroken);
    messages_.push_back(*std::move(message));
  }
}

std::optional<Message> Conversation::next() {
  if (messages_.empty()) return std::nullopt;
  Message message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

bool Conversation::send(const Message& message) {
  return stream_.send(encode(message));
}

}  // namespace lockstep::multihost
