#include "replay/checkpoint/page_map.h"

#include <cstring>
#include <map>
#include <optional>

namespace lockstep::checkpoint {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr std::uint64_t kAddress = 1, kPages = 2, kInParent = 3, kFlags = 4, kPagesAgain = 5;
constexpr unsigned kNumber = 0;  // protobuf's type of all fields here

std::optional<std::uint64_t> take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) == 0) return number;
  }
  return std::nullopt;
}

void put_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  bytes += static_cast<char>(number);
}

void put_field(std::string& bytes, std::uint64_t field, std::uint64_t number) {
  put_number(bytes, field << 3 | kNumber);
  put_number(bytes, number);
}

using Fields = std::map<std::uint64_t, std::uint64_t>;

std::optional<Fields> fields_of(std::string_view message) {
  Fields fields;
  while (!message.empty()) {
    const auto key = take_number(message);
    const auto number = take_number(message);
    if (!key || !number || (*key & 7) != kNumber) return std::nullopt;
    fields[*key >> 3] = *number;
  }
  return fields;
}

// The next entry; none: the bytes end, or are something else.
std::optional<Fields> take_entry(std::string_view& bytes) {
  std::uint32_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  if (bytes.size() < size) return std::nullopt;
  auto fields = fields_of(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return fields;
}

void put_entry(std::string& bytes, const std::string& message) {
  const auto size = static_cast<std::uint32_t>(message.size());
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += message;
}

std::optional<PageRun> run_from(const Fields& fields) {
  for (const auto& [field, number] : fields) {
    if (field > kPagesAgain || field == kInParent) return std::nullopt;  // of a version that we do not know
  }
  if (!fields.contains(kAddress) || !fields.contains(kPages) || !fields.contains(kFlags)) return std::nullopt;
  const bool twice = fields.contains(kPagesAgain);
  return PageRun{.address = fields.at(kAddress),
                 .pages = fields.at(twice ? kPagesAgain : kPages),
                 .flags = static_cast<std::uint32_t>(fields.at(kFlags)),
                 .says_pages_twice = twice};
}

std::string message_of(const PageRun& run) {
  std::string message;
  put_field(message, kAddress, run.address);
  put_field(message, kPages, run.pages);
  put_field(message, kFlags, run.flags);
  if (run.says_pages_twice) put_field(message, kPagesAgain, run.pages);
  return message;
}

}  // namespace

Result<PageMap> decode_page_map(std::string_view bytes, std::string_view where) {
  const Error unknown{"cannot read a list of pages", std::string(where), "not as CRIU 4.1 writes it", ""};
  if (bytes.size() < kMagicBytes) return unknown;
  PageMap map{.magic = std::string(bytes.substr(0, kMagicBytes)), .runs = {}};
  bytes.remove_prefix(kMagicBytes);
  const auto head = take_entry(bytes);
  if (!head || head->size() != 1 || !head->contains(kAddress)) return unknown;
  map.contents = head->at(kAddress);
  while (!bytes.empty()) {
    const auto entry = take_entry(bytes);
    const auto run = entry ? run_from(*entry) : std::nullopt;
    if (!run) return unknown;
    map.runs.push_back(*run);
  }
  return map;
}

std::string encode_page_map(const PageMap& map) {
  std::string bytes = map.magic;
  std::string head;
  put_field(head, kAddress, map.contents);
  put_entry(bytes, head);
  for (const PageRun& run : map.runs) put_entry(bytes, message_of(run));
  return bytes;
}

}  // namespace lockstep::checkpoint
