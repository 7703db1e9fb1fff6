import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { checks } from "../checks.ts";

const sourceOf = (file: string): string => {
  const path = new URL(`../${file}.test.ts`, import.meta.url);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

/** Whether a test of this name is in its file. */
function isThere(entry: string): boolean {
  const [, file = "", name = ""] = /^([\w/-]+): (.+)$/.exec(entry) ?? [];
  return name !== "" && ['"', "`", "'"].some((quote) => sourceOf(file).includes(`${quote}${name}${quote}`));
}

/** The rows of the list of attacks that this project was given. Its own findings begin with S. */
const given =
  "A01 A02 A03 A04 A05 A07 A09 A10 A11 A12 A13 A15 A16 A17 A19 A20 Z01 Z02 Z04 Z05 I01 I02 I05 I07 I08 " +
  "O01 O02 O03 O04 O05 O06 O07 O08 R01 R02 R03 R04 R05 R07 R08 R09 R10 R11 R12 R13 R14 R15 R18 R19 R21 R22 R23 R24 " +
  "R25 P01 P02 P03 P05 P06 P08 P09 P10 W01 W03 W05 W06 W07 W08 W09 W10 X01 X02 X04 K01 K02 K03 K05 K06 K07 C01 C04 " +
  "G01 H01 H02 H04 L01 L04 M01 M02 M03 M04 M05 M06 M07 M08 M09 M10 M11 M12 M13 M14 M15 M16 " +
  "N01 N02 N03 N04 N05 N06 N07 N08 N09 N10 N11 N12 N13 N14";

describe("the table of checks", () => {
  test("has every row of the list, and no other but its own", () => {
    const rows = Object.keys(checks).filter((id) => !/^S\d\d$/.test(id));
    expect(rows.toSorted()).toEqual(given.split(" ").toSorted());
  });

  test.each(Object.entries(checks))("%s names tests that there are, or says why there are none", (_, check) => {
    expect(check.tests.length > 0 || check.untested !== undefined).toBe(true);
    if (check.untested !== undefined) expect(check.untested).toMatch(/^[A-Z].{20,}\.$/);
    expect(check.tests.filter((entry) => !isThere(entry))).toEqual([]);
  });
});
