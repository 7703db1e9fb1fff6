import { expect, test } from "bun:test";
import { printName } from "@cardkeep/providers/issuer/printName";

test.each([
  ["Ada", "Lovelace", "Ada Lovelace"],
  ["Maximilian Alexander", "von Hohenzollern", "M. A. von Hohenzollern"],
  ["Anna Maria", "Oberhauser-Schmitt", "A. M. Oberhauser-Schmitt"],
  ["Jean-Pierre", "Montmorency-Laval", "J.-P. Montmorency-Laval"],
  ["Konstantina", "Papadopoulou-Angelidis", "Papadopoulou-Angelidis"],
  ["Joe", "Papadopoulou-Angelidi", "J. Papadopoulou-Angelidi"],
  ["Ana", "de la Santisima Trinidad y Borbon", "de la Santisima Trinidad"],
  ["Ana", "Wolfeschlegelsteinhausenbergerdorff", "Wolfeschlegelsteinhausen"],
  ["  ", " Lovelace ", "Lovelace"],
])("a card shows %p %p as %p: the family name whole, within 24 characters", (first, last, printed) => {
  expect(printName(first, last)).toBe(printed);
  expect(printed.length).toBeLessThanOrEqual(24);
});
