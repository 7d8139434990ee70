#include "replay/checkpoint/shared_pages.h"

#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/file.h"

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

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxPageMapBytes = std::size_t{256} << 20;  // about 10 million runs

Result<std::shared_ptr<const base::MappedFile>> contents_of(const fs::path& path) {
  auto file = std::make_shared<const base::MappedFile>(path);
  if (file->fault().empty()) return file;
  return Error{"cannot map pages", path.string(), file->fault(), ""};
}

}  // namespace

PageMap SharedPages::without_known(const PageMap& whole, std::string_view contents, std::string& kept) const {
  PageMap less{.magic = whole.magic, .contents = whole.contents, .runs = {}};
  const auto add = [&](std::uint64_t address, const PageRun& like, std::uint32_t flags) {
    if (!less.runs.empty()) {
      PageRun& last = less.runs.back();
      const bool goes_on = last.address + last.pages * kPageBytes == address;
      if (goes_on && last.flags == flags && address != like.address) {
        ++last.pages;
        return;
      }
    }
    less.runs.push_back({address, 1, flags, like.says_pages_twice});
  };
  for (const PageRun& run : whole.runs) {
    if (!run.is_here()) {
      less.runs.push_back(run);
      continue;
    }
    for (std::uint64_t page = 0; page < run.pages; ++page) {
      const std::uint64_t address = run.address + page * kPageBytes;
      const std::string_view content = contents.substr(0, kPageBytes);
      contents.remove_prefix(content.size());
      const auto found = known_.find(address);
      const bool is_known = found != known_.end() && found->second == content;
      if (!is_known) kept += content;
      add(address, run, is_known ? PageRun::kInImageBefore : run.flags);
    }
  }
  return less;
}

// Pages that the map has from the image before are known there already.
void SharedPages::know(const PageMap& map, std::shared_ptr<const Contents> contents) {
  std::unordered_map<std::uint64_t, std::string_view> known;
  std::string_view rest = contents->text();
  for (const PageRun& run : map.runs) {
    for (std::uint64_t page = 0; page < run.pages; ++page) {
      const std::uint64_t address = run.address + page * kPageBytes;
      if (run.is_here()) {
        known[address] = rest.substr(0, kPageBytes);
        rest.remove_prefix(std::min(rest.size(), kPageBytes));
      } else if (const auto found = known_.find(address); found != known_.end()) {
        known[address] = found->second;
      }
    }
  }
  known_ = std::move(known);
  contents_.push_back(std::move(contents));
}

Result<void> SharedPages::remove_known(const fs::path& folder, pid_t pid) {
  const fs::path list = folder / fmt::format("pagemap-{}.img", pid);
  const std::string bytes = TRY(base::read_file(list, kMaxPageMapBytes));
  const PageMap whole = TRY(decode_page_map(bytes, list.string()));
  const fs::path pages = folder / fmt::format("pages-{}.img", whole.contents);
  std::shared_ptr<const Contents> contents = TRY(contents_of(pages));
  PageMap map = whole;
  if (!before_.empty()) {
    std::string kept;
    map = without_known(whole, contents->text(), kept);
    TRY(base::write_file(folder / "less.pages", kept));
    TRY(base::write_file(folder / "less.list", encode_page_map(map)));
    std::error_code fault;
    fs::create_directory_symlink(before_.lexically_relative(folder), folder / "parent", fault);
    if (!fault) fs::rename(folder / "less.pages", pages, fault);
    if (!fault) fs::rename(folder / "less.list", list, fault);
    if (fault) return Error{"cannot link images", folder.string(), fault.message(), ""};
    contents = TRY(contents_of(pages));
  }
  know(map, std::move(contents));
  before_ = folder;
  return {};
}

}  // namespace lockstep::checkpoint
