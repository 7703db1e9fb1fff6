import { expect, test } from "bun:test";
import { categoryOf, listCategories, merchantCategories } from "@cardkeep/providers/issuer/merchantCategories";
import { join } from "node:path";

test("merchant categories are those of the issuer's own package", async () => {
  const folder = join(Bun.resolveSync("stripe/package.json", join(import.meta.dir, "../../packages/providers")), "..");
  const types = await Bun.file(join(folder, "esm/resources/Issuing/Cards.d.ts")).text();
  const [, names = ""] = /type BlockedCategory = ([^;]+);/.exec(types) ?? [];
  const published = [...names.matchAll(/'(\w+)'/g)].map(([, name = ""]) => name);
  expect(published.length).toBeGreaterThan(290);
  expect(merchantCategories).toEqual(published.toSorted());
});

test("an MCC has one category, and a category is listed only if each of its MCCs is", () => {
  expect(["7995", "5411", "3000", "3299", "3300", "3351", "3501", "4511", "0000"].map(categoryOf)).toEqual([
    "betting_casino_gambling",
    "grocery_stores_supermarkets",
    "airlines_air_carriers",
    "airlines_air_carriers",
    "miscellaneous",
    "car_rental_agencies",
    "hotels_motels_and_resorts",
    "airlines_air_carriers",
    "miscellaneous",
  ]);
  expect(listCategories((mcc) => mcc >= "3000" && mcc <= "3299")).toEqual([]);
  expect(listCategories((mcc) => (mcc >= "3000" && mcc <= "3299") || mcc === "4511")).toEqual([
    "airlines_air_carriers",
  ]);
  expect(listCategories(() => true)).toEqual([...merchantCategories]);
});
