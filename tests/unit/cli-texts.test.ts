import { describe, expect, test } from "bun:test";
import { checkNetwork } from "@cardkeep/cli/checkNetwork";
import { findCommandPath, guessCommand } from "@cardkeep/cli/command";
import { renderFields, renderTable } from "@cardkeep/cli/print";
import { formatText, phrase, type TextFormat, tokenAmount } from "@cardkeep/cli/texts";
import { formatUnitsShort } from "@cardkeep/domain/core/wording";
import { readOperatorSettings } from "@cardkeep/runtime/local";
import { plainColors } from "@cardkeep/terminal/colors";
import fc from "fast-check";
import { mainOf } from "../support/bundles.ts";
import { filled } from "../support/filled.ts";

const now = new Date("2030-01-01T12:00:00Z");
const past = new Date("2030-01-01T11:55:00.250Z");
const rounded: TextFormat = { now, isExact: false, widthMax: 80, colors: plainColors };
const exact: TextFormat = { ...rounded, isExact: true };
const token = 10n ** 18n;

describe("a table", () => {
  const columns = [{ title: "id" }, { title: "at" }, { title: "amount", align: "right" as const }];
  const rows = [
    ["a", past, tokenAmount(25n * token, "EURe")],
    ["b", null, tokenAmount(token / 3n, "EURe")],
  ];

  test("shows instants as seen from now, and amounts to the cent", () => {
    expect(formatText(renderTable(columns, rows, ""), rounded)).toBe(
      "id  at              amount\na   5 min ago   25.00 EURe\nb   -          ≈ 0.33 EURe\n",
    );
  });

  test("shows both in full on request", () => {
    expect(formatText(renderTable(columns, rows, ""), exact)).toBe(
      [
        "id  at                                       amount",
        "a   2030-01-01T11:55:00Z                    25 EURe",
        "b   -                     0.333333333333333333 EURe",
        "",
      ].join("\n"),
    );
  });

  const wide = [
    { title: "id" },
    { title: "user", optional: true },
    { title: "text", elastic: true },
    { title: "card", optional: true },
  ];
  const long = [["i".repeat(36), "u".repeat(36), "t".repeat(60), "c".repeat(8)]];

  test.each([95, 80, 60])("fits %d columns, and names what it leaves out", (widthMax) => {
    const lines = formatText(renderTable(wide, long, ""), { ...rounded, widthMax }).split("\n");
    for (const line of filled(lines)) expect(line.length).toBeLessThanOrEqual(widthMax);
    expect(lines.at(-2)).toBe(`Left out: ${widthMax === 95 ? "card" : "user, card"}. --exact prints everything.`);
    expect(lines[1]).toContain("…");
  });

  test("is never cut on request", () => {
    const text = formatText(renderTable(wide, long, ""), { ...exact, widthMax: 40 });
    for (const cell of filled(long.flat())) expect(text).toContain(cell);
  });

  test("without rows says why", () => expect(formatText(renderTable(columns, [], "None."), rounded)).toBe("None.\n"));
});

test("where nothing runs, doctor says how to start it, and blames no setting and no name server", async () => {
  const env = { CARDKEEP_HOME: "/nonexistent", POSTGRES_PORT: "1", CHAIN_PORT: "1", SANDBOX_PORT: "1" };
  const { severity, text } = await checkNetwork(readOperatorSettings(env));
  expect(severity).toBe("fault");
  expect(text).toStartWith("Not reached from this machine: database 127.0.0.1:1 (refuses connections), ");
  expect(text).toContain("text messages 127.0.0.1:1 (refuses connections).");
  expect(text).toEndWith(". Nothing runs here: run `bun start`, or set DATABASE_URL");
});

test("a list of fields shows an instant in full and as seen from now, also in a sentence", () => {
  const text = renderFields([
    ["Created", past],
    ["Wallets", [phrase`0xab since ${past}`, "0xcd"]],
    ["Ended", null],
    ["Phone", ["+15005550006", null]],
    ["Legal hold", [null, null]],
  ]);
  expect(formatText(text, rounded)).toBe(
    [
      "Created     2030-01-01T11:55:00Z (5 min ago)",
      "Wallets     0xab since 2030-01-01T11:55:00Z (5 min ago)",
      "            0xcd",
      "Ended       -",
      "Phone       +15005550006",
      "Legal hold  -",
      "",
    ].join("\n"),
  );
  expect(formatText(text, exact)).toContain("Created     2030-01-01T11:55:00Z\n");
});

test("a rounded amount is never above the whole one, and less than a cent below it", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.constantFrom(6, 18), (amount, decimals) => {
      const [, sign, whole = "", cents = ""] = /^(≈ )?(\d+)\.(\d\d)$/.exec(formatUnitsShort(amount, decimals)) ?? [];
      const rest = amount - BigInt(whole + cents) * 10n ** BigInt(decimals - 2);
      expect(rest >= 0n && rest < 10n ** BigInt(decimals - 2)).toBe(true);
      expect(sign === undefined).toBe(rest === 0n);
    }),
    { numRuns: 50 },
  );
});

test.each([
  [["user", "list"], "cardkeep users list"],
  [["list", "users"], "cardkeep users list"],
  [["usr", "lst"], "cardkeep users list"],
  [["jobs", "retryfailed"], "cardkeep jobs retry-failed"],
  [["help"], "cardkeep --help"],
  [["dmeo"], "cardkeep demo"],
  [["partners", "remove"], null],
  [["elephant"], null],
])("%p may mean %p", (words, meant) => expect(guessCommand(words)).toBe(meant));

test("a command is named by its noun and verb, without flags and arguments", () => {
  expect(findCommandPath(["users", "list", "--limit", "many"])).toBe("cardkeep users list");
  expect(findCommandPath(["doctor", "x"])).toBe("cardkeep doctor");
  expect(findCommandPath(["nobody"])).toBe("cardkeep");
});

test.skipIf(process.platform !== "linux")(
  "output that cannot be written is a failure, but for a closed pipe",
  async () => {
    const run = async (output: string): Promise<number> =>
      Bun.spawn(["sh", "-c", `"$0" "$1" --help ${output}`, process.execPath, mainOf("cli")], { stderr: "ignore" })
        .exited;
    // /dev/full answers each write as a full disk does.
    expect(await run("> /dev/full")).toBe(1);
    expect(await run("| true")).toBe(0);
  },
);
