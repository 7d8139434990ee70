#include "replay/checkpoint/shared_pages.h"

#include <cstring>

#include <fmt/format.h>

#include "base/file.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

Result<std::shared_ptr<const base::MappedFile>> contents_of(const fs::path& path) {
  auto file = std::make_shared<const base::MappedFile>(path);
  if (file->error() == 0) return file;
  return Error{"cannot map pages", path.string(), std::strerror(file->error()), ""};
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

Result<void> SharedPages::take_out(const fs::path& folder, pid_t pid) {
  const fs::path list = folder / fmt::format("pagemap-{}.img", pid);
  const std::string bytes = TRY(base::read_file(list, kMostBytes));
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
