import { expect, test } from "bun:test";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { readRateFile } from "@cardkeep/domain/spending/rates/readRateFile";
import fc from "fast-check";

const xml = (cubes: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube>${cubes}</Cube>
</gesmes:Envelope>`;
const series = "KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,TITLE";
const dollar = { currency: "USD", day: "2026-11-25", rate: "1.0842" };
const yen = { currency: "JPY", day: "2026-11-25", rate: "163.05" };

test.each([
  [
    "XML of a day",
    xml("<Cube time='2026-11-25'><Cube currency='USD' rate='1.0842'/><Cube currency='JPY' rate='163.05'/></Cube>"),
  ],
  ["CSV of a day", "Date, USD, JPY, RUB, \n25 November 2026, 1.0842, 163.05, N/A, \n"],
  ["CSV of all days", "\ufeffDate,USD,JPY,RUB,\r\n2026-11-25,1.0842,163.05,N/A,\r\n"],
  [
    "CSV of the data portal",
    `${series}\nEXR.D.USD.EUR.SP00.A,D,USD,EUR,SP00,A,2026-11-25,1.0842,"US dollar, ECB"\nEXR.D.JPY.EUR.SP00.A,D,JPY,EUR,SP00,A,2026-11-25,163.05,Yen\n`,
  ],
])("the rates of %s are read, and none is invented where none was published", (_, file) => {
  expect(readRateFile(file)).toEqual([dollar, yen]);
});

const messageOf = (file: string): string => {
  try {
    return JSON.stringify(readRateFile(file));
  } catch (error) {
    if (error instanceof CardkeepError && error.code === "rates.invalid_file") return error.message;
    throw error;
  }
};

test.each([
  ["", "neither CSV nor XML"],
  ["<html>Not found</html>", "it is empty"],
  ["<Cube time='2026-11-25'>", "unclosed tag"],
  ["Date,USD\n2026-02-30,1.1\n", '"2026-02-30" is no day'],
  ["Date,USD\n2026-11-25,-1\n", '"-1" of "USD" on 2026-11-25 is no rate'],
  ["Date,USD\n2026-11-25,0\n", '"0" of "USD"'],
  ["Date,USD\n2026-11-25,1e3\n", '"1e3" of "USD"'],
  ["Date,=A1\n2026-11-25,1\n", '"1" of "=A1"'],
  ["Date,USD\n2026-11-25,1.1\n2026-11-25,1.2\n", "two rates of USD on 2026-11-25"],
  ['Date,USD\n2026-11-25,"1.1\n', "Quote Not Closed"],
  [`${series}\nK,M,USD,EUR,SP00,A,2026-11,1.1,\n`, "a series is M.EUR.SP00"],
  ['<!DOCTYPE a [<!ENTITY b "1.5">]><Cube time="2026-11-25"><Cube currency="USD" rate="&b;"/></Cube>', "entity"],
])("a file that is no file of the bank is refused with the reason: %j", (file, why) => {
  expect(messageOf(file)).toContain(why);
});

test("any text is read or refused with its reason", () => {
  const pieces = fc.constantFrom(
    "Date",
    ",",
    "\n",
    "USD",
    "2026-11-25",
    "1.1",
    '"',
    "<Cube",
    " rate='1'",
    "/>",
    ">",
    "&",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(pieces).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (file) => {
      messageOf(file);
    }),
  );
});
