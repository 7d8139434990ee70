#include "check/probe/messages.h"

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "base/packing.h"

namespace lockstep::probe {
namespace {

struct Words {
  std::string_view word;
  std::string_view sentence;
};

constexpr Words kWords[] = {
    {"open", "the connection was made"},
    {"open_to_other", "the connection was made, to a program that listens there already"},
    {"refused", "the connection was refused"},
    {"unreachable", "the network says that there is no way"},
    {"silent", "nothing came back"},
    {"no_answer", "the connection was made, but no agent answered"},
    {"wrong_host", "another host answered"},
    {"large_lost", "small packets pass, large ones are lost"},
    {"large_lost_back", "small packets pass, large ones are lost on the way back"},
    {"not_tried", "it could not be tried"},
};
static_assert(std::size(kWords) == kEnds);

}  // namespace

std::string_view word_for(End end) {
  return kWords[static_cast<std::size_t>(end)].word;
}

std::string_view in_words(End end) {
  return kWords[static_cast<std::size_t>(end)].sentence;
}

namespace {

constexpr char kLineEnd = '\n';

// The least that one element of a list takes.
template <typename T>
constexpr std::size_t kMinBytes = 4;
template <>
constexpr std::size_t kMinBytes<ListenOrder> = 4 + 17 + 2 + 2;
template <>
constexpr std::size_t kMinBytes<ListenResult> = 4 + 2 + 4;
template <>
constexpr std::size_t kMinBytes<CallOrder> = 4 + 4 + 1 + 17 + 17 + 2 + 1 + 4 + 2 + 4;
template <>
constexpr std::size_t kMinBytes<Outcome> = 4 + 1 + 4 + 1 + 4 + 8 + 8 + 8;

template <typename M, typename Use>
void visit_fields(M& m, Use& use);

class MessagePacker : public base::Packer {
 public:
  using base::Packer::operator();
  void operator()(End end) { (*this)(static_cast<std::uint8_t>(end)); }
  void operator()(const base::Address& address) {
    (*this)(static_cast<std::uint8_t>(address.family));
    for (const std::uint8_t byte : address.bytes) (*this)(byte);
  }
  template <typename T>
  void operator()(const std::vector<T>& list) {
    (*this)(static_cast<std::uint32_t>(list.size()));
    for (const T& one : list) visit_fields(one, *this);
  }
};

class MessageUnpacker : public base::Unpacker {
 public:
  using base::Unpacker::Unpacker;
  using base::Unpacker::operator();
  void operator()(End& end) { end = static_cast<End>(below(kEnds)); }
  void operator()(base::Address& address) {
    address.family = static_cast<base::Family>(below(2));
    for (std::uint8_t& byte : address.bytes) (*this)(byte);
  }
  template <typename T>
  void operator()(std::vector<T>& list) {
    list.resize(count(kMinBytes<T>));
    for (T& one : list) visit_fields(one, *this);
  }

 private:
  std::uint8_t below(std::uint8_t limit) {
    std::uint8_t number = 0;
    (*this)(number);
    require(number < limit);
    return is_good() ? number : 0;
  }
};

// The fields of every message, once for both ways.
template <typename M, typename Use>
void visit_fields(M& m, Use& use) {
  using T = std::remove_const_t<M>;
  if constexpr (std::is_same_v<T, std::string>) {
    use(m);
  } else if constexpr (std::is_same_v<T, Hello>) {
    use(m.host), use(m.version);
  } else if constexpr (std::is_same_v<T, AskFacts>) {
    use(m.names), use(m.python);
  } else if constexpr (std::is_same_v<T, Facts>) {
    use(m.json);
  } else if constexpr (std::is_same_v<T, ListenOrder>) {
    use(m.id), use(m.address), use(m.first_port), use(m.last_port);
  } else if constexpr (std::is_same_v<T, Listen>) {
    use(m.own_number), use(m.orders);
  } else if constexpr (std::is_same_v<T, ListenResult>) {
    use(m.id), use(m.port), use(m.error);
  } else if constexpr (std::is_same_v<T, Listening>) {
    use(m.results);
  } else if constexpr (std::is_same_v<T, CallOrder>) {
    use(m.id), use(m.host), use(m.is_bound), use(m.source), use(m.destination), use(m.port);
    use(m.meets_agent), use(m.large_bytes), use(m.echoes), use(m.stream_bytes);
  } else if constexpr (std::is_same_v<T, Call>) {
    use(m.timeout_ms), use(m.retry_timeout_ms), use(m.at_once), use(m.orders);
  } else if constexpr (std::is_same_v<T, Outcome>) {
    use(m.id), use(m.end), use(m.error), use(m.attempts), use(m.answered_by), use(m.connect_ns);
    use(m.latency_ns), use(m.bytes_per_s);
  } else if constexpr (std::is_same_v<T, Called>) {
    use(m.outcomes);
  } else {
    static_assert(std::is_same_v<T, Bye>);
  }
}

template <typename M>
bool is_sensible(const M& /*message*/) {
  return true;
}
bool is_sensible(const Listen& listen) {
  for (const ListenOrder& order : listen.orders)
    if (order.first_port == 0 || order.last_port < order.first_port) return false;
  return true;
}
bool is_sensible(const Call& call) {
  for (const CallOrder& order : call.orders)
    if (order.large_bytes > kMaxLargeBytes || order.port == 0) return false;
  return call.at_once > 0;
}

}  // namespace

std::string encode(const Message& message) {
  return base::packed_variant<MessagePacker>(
             message, [](const auto& one, MessagePacker& packer) { visit_fields(one, packer); }) +
         kLineEnd;
}

std::optional<Message> decode(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > kMaxMessageBytes || bytes.back() != kLineEnd) return std::nullopt;
  bytes.remove_suffix(1);
  return base::unpacked_variant<Message, MessageUnpacker>(bytes, [](auto& one, MessageUnpacker& unpacker) {
    visit_fields(one, unpacker);
    return is_sensible(one);
  });
}

}  // namespace lockstep::probe
