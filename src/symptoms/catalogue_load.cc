// Apart from catalogue.cc: the program that packs the catalogue at build time has none embedded yet.
#include "symptoms/catalogue.h"
#include "symptoms/catalogue_files.h"
#include "symptoms/embedded.h"

namespace lockstep::symptoms {

Result<Catalogue> Catalogue::load(std::span<const std::filesystem::path> folders) {
  base::Json values = TRY(base::parse_json(embedded_entries(), "built-in catalogue"));
  for (const std::filesystem::path& folder : folders)
    values = overlay(std::move(values), TRY(read_catalogue_folder(folder)));
  const bool is_built_in = folders.empty();
  Catalogue catalogue =
      TRY(from_values(std::move(values), is_built_in ? "built-in catalogue" : folders.back().string()));
  TRY(catalogue.compile(is_built_in ? embedded_telling_set() : std::string_view(),
                        is_built_in ? embedded_quiet_set() : std::string_view()));
  return catalogue;
}

}  // namespace lockstep::symptoms
