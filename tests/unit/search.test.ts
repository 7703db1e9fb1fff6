import { expect, test } from "bun:test";
import { readClues } from "@cardkeep/domain/operations/search/readClues";
import fc from "fast-check";

/** What a text is taken for. */
const read = (text: string): string[] => readClues(text).map(({ by }) => by);

const uuid = "0199C0DE-1234-7000-8000-000000000001";

test("a text is read as everything that it may stand for, and as nothing else", () => {
  expect({
    hash: read(`0x${"aB".repeat(32)}`),
    wallet: read(`0x${"aB".repeat(20)}`),
    beginning: read("0xab12"),
    ends: readClues("0xAb12…cD34"),
    uuid: read(uuid),
    delivery: read(`msg_${"0a".repeat(16)}`),
    fourDigits: read("4242"),
    phone: read("+49 (151) 234-5"),
    iban: readClues("ee38 7777 0000 1234 5678"),
    partOfIban: read("ee38"),
    mail: read("ada@example.org"),
    name: read("Ada Lovelace"),
    short: read("ad"),
    tooShort: read("a d"),
  }).toEqual({
    hash: ["hash"],
    wallet: ["address"],
    beginning: ["address"],
    ends: [{ by: "address", prefix: "0xab12", suffix: "cd34" }],
    uuid: ["id", "request", "reference"],
    delivery: ["delivery"],
    fourDigits: ["request", "reference", "lastFour", "phone", "iban"],
    phone: ["phone"],
    iban: [{ by: "iban", text: "EE387777000012345678" }],
    partOfIban: ["request", "reference", "iban", "words"],
    mail: ["words"],
    name: ["words"],
    short: ["request", "reference"],
    tooShort: [],
  });
  expect(readClues(uuid)[0]).toEqual({ by: "id", text: uuid.toLowerCase() });
});

test("any text is read without an error, and its addresses and numbers hold their own characters alone", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: "binary" }), (text) => {
      const wrong = readClues(text).filter(
        (clue) =>
          (clue.by === "address" && !/^0x[0-9a-f]+$/.test(clue.prefix + clue.suffix)) ||
          (clue.by === "phone" && !/^\d{4,15}$/.test(clue.text)) ||
          (clue.by === "iban" && !/^[A-Z0-9]{4,34}$/.test(clue.text)),
      );
      expect(wrong).toEqual([]);
    }),
  );
});
