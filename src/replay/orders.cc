#include "replay/orders.h"

#include "base/file.h"
#include "base/json.h"

namespace lockstep::replay {

std::string encode_orders(const Orders& orders) {
  base::Json json = base::Json::object();
  if (orders.image_every != 0) json["image_every"] = orders.image_every;
  if (orders.to_step != 0) json["to_step"] = orders.to_step;
  if (!orders.predicate.empty()) json["predicate"] = orders.predicate;
  if (orders.only_asks) json["only_asks"] = true;
  if (!orders.saves_parameters_to.empty()) json["saves_parameters_to"] = orders.saves_parameters_to.string();
  if (!orders.patch.empty()) json["patch"] = orders.patch.string();
  if (orders.copy != 0) json["copy"] = orders.copy;
  if (!orders.break_at.empty()) json["break_at"] = orders.break_at;
  return base::to_text(json, base::JsonLayout::kOneLine) + "\n";
}

Result<void> write_orders(const std::filesystem::path& recording, const Orders& orders) {
  return base::write_file(recording / "orders.json", encode_orders(orders));
}

}  // namespace lockstep::replay
