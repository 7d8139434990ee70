#include "service/engine/news.h"

#include <fcntl.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kMostNews = std::size_t{4} << 20;

}  // namespace

void tell_news(const AttemptFolder& folder, std::string_view kind, std::string_view detail) {
  const process::Descriptor file(
      ::open(folder.news().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  std::string line = fmt::format("{}\t{}", kind, detail);
  for (char& c : line) c = c == '\n' ? ' ' : c;
  if (file.is_open()) base::write_all(file.get(), line + "\n");
}

std::vector<News> news_after(const AttemptFolder& folder, std::size_t count) {
  std::vector<News> found;
  const auto text = base::read_file(folder.news(), kMostNews);
  if (!text.ok()) return found;
  std::string_view rest = text.value();
  for (std::size_t number = 0; rest.find('\n') != std::string_view::npos; ++number) {
    const std::string_view line = base::word_of(rest, '\n');
    rest.remove_prefix(line.size() + 1);
    if (number < count) continue;
    const std::string_view kind = base::word_of(line, '\t');
    found.push_back({std::string(kind), std::string(line.substr(std::min(kind.size() + 1, line.size())))});
  }
  return found;
}

}  // namespace lockstep::service
