import { expect, test } from "bun:test";
import { exportFormats, findResumption, forms, isBegunAs } from "@cardkeep/domain/operations/exports/formats";
import { splitTax } from "@cardkeep/domain/core/splitTax";
import fc from "fast-check";

const lines = [
  { account: "Assets:Settlement", amount: "1", currency: "EUR" },
  { account: "Assets:Customers:Safes", amount: "-1", currency: "EUR" },
];

/** A record of two rows, as the journal has them. */
const build = (id: string, note: string) => ({
  day: "2026-11-25",
  values: entry(id, note),
  rows: [entry(id, note), entry(id, `${note}2`)],
  booking: { title: "Card money", facts: { entry: id }, lines },
  cursor: `p~${id}`,
});
const accounts = lines.map(({ account }) => account);

const entry = (id: string, note: string) => ({
  day: "2026-11-25",
  id,
  paymentId: "p",
  userId: "u",
  merchant: note,
  currency: "EUR",
  safe: "-1",
  held: "0",
  settlement: "1",
  owed: "0",
  advanced: "0",
  writtenOff: "0",
});

test.each(exportFormats)(
  "an export of the form %s that was cut anywhere goes on behind its last whole record",
  (format) => {
    const form = forms[format];
    const property = fc.property(
      fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 8 }),
      fc.nat(),
      (notes, cut) => {
        const records = notes.map((note, index) => form.format(build(`e${index}`, note)));
        const head = form.head(Object.keys(entry("", "")), accounts);
        const whole = head + records.join("");
        const part = whole.slice(0, cut % (whole.length + 1));
        const names = Object.keys(entry("", ""));
        const own = { names, accounts, mayLackHead: false };
        const others = { names: ["another", ...names], accounts: ["Assets:Another", ...accounts] };
        expect(isBegunAs(format, part, own)).toBe(true);
        const behind = records.join("");
        expect(isBegunAs(format, behind, own)).toBe(format === "jsonl");
        expect(isBegunAs(format, behind, { ...own, mayLackHead: true })).toBe(true);
        for (const mayLackHead of [false, true])
          expect(isBegunAs(format, whole, { ...others, mayLackHead })).toBe(false);
        const found = findResumption(format, part);
        const known = found === null ? -1 : Number(found.cursor.replace("p~e", ""));
        const kept = found === null ? "" : part.slice(0, part.length - found.rest);
        expect(kept + (found === null ? head : "") + records.slice(known + 1).join("")).toBe(whole);
        // All whole records are kept: at most one is written again.
        expect(part.length - kept.length).toBeLessThan(head.length + Math.max(...records.map(({ length }) => length)));
      },
    );
    fc.assert(property, { numRuns: 200 });
  },
);

test("a cell of a stranger's text is no formula, and has one line", () => {
  const line = forms.csv.format({ day: null, values: entry("e", "=HYPERLINK(\r\n1)"), cursor: "p~e" });
  expect(line).toContain(",'=HYPERLINK( 1),");
  expect(line.match(/\n/g)).toHaveLength(1);
});

test("tax and net are the gross price, and the tax is the rate of the net within half a cent", () => {
  const rate = fc.tuple(fc.nat(99), fc.nat(9999)).map(([whole, part]) => `${whole}.${String(part).padStart(4, "0")}`);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), rate, (gross, percent) => {
      const { net, tax } = splitTax(gross, percent);
      if (net === null || tax === null) throw new Error("A rate gives a tax");
      expect(net + tax).toBe(gross);
      const scaled = BigInt(percent.replace(".", ""));
      const off = 2n * (tax * (1_000_000n + scaled) - gross * scaled);
      expect((off < 0n ? -off : off) <= 1_000_000n + scaled).toBe(true);
    }),
  );
  expect([splitTax(3_023n, "19"), splitTax(3_023n, null)]).toEqual([
    { net: 2_540n, tax: 483n },
    { net: null, tax: null },
  ]);
});
