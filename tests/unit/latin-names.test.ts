import { expect, test } from "bun:test";
import { latinName } from "@cardkeep/providers/issuer/latinName";

test.each([
  ["Ada", "Ada"],
  ["Müller-Lüdenscheidt", "Müller-Lüdenscheidt"],
  ["Zoe\u0308", "Zoë"],
  ["D’Arcy", "D'Arcy"],
  ["Γιώργος", "Giorgos"],
  ["Иван", "Ivan"],
  ["Щербаков-Ловлейс", "Shcherbakov-Lovleys"],
  ["Ђорђевић", "Djordjevic"],
  ["王小明", "WangXiaoMing"],
])("%s is printed as %s", (name, printed) => {
  expect(latinName(name, null)).toBe(printed);
});

test("the provider's spelling, which is the passport's, comes before our own", () => {
  expect(latinName("Ευάγγελος", "Evangelos")).toBe("Evangelos");
  expect(latinName("Ευάγγελος", "4711")).toBe("Eyaggelos");
  expect(latinName("José", "Jose")).toBe("José");
});

test.each(["4da", "Ada!", "\u{1F600}", "x\0y", "Иван2", ""])("%p has no spelling", (name) => {
  expect(latinName(name, null)).toBeNull();
});
