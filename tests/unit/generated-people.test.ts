import { expect, test } from "bun:test";
import { generateEmail, generatePerson, generatePhone } from "@cardkeep/sandbox/profiles/generatePerson";

const seeds = Array.from({ length: 300 }, (_, index) => `0x${(index * 7919).toString(16).padStart(40, "0")}`);

test("one wallet always gives the same person, in any letter case", () => {
  for (const seed of seeds) expect(generatePerson(seed.toUpperCase())).toEqual(generatePerson(seed));
});

test("people differ: 300 wallets give far more than 30 names, and each its own mail address", () => {
  const names = new Set(seeds.map((seed) => Object.values(generatePerson(seed)).slice(0, 2).join(" ")));
  expect(names.size).toBeGreaterThan(150);
  expect(new Set(seeds.map((seed) => generateEmail(seed))).size).toBe(seeds.length);
});

test("everybody is of age and has an address of the country, which is Germany by default", () => {
  for (const seed of seeds) {
    const person = generatePerson(seed);
    expect(person).toMatchObject({ country: "DE", nationality: "DE" });
    expect(person.postalCode).toMatch(/^\d{5}$/);
    expect(person.birthDate).toMatch(/^(19[5-9]\d|200[0-2])-\d{2}-\d{2}$/);
    expect(generatePhone(seed)).toMatch(/^\+49151\d{8}$/);
    expect(generateEmail(seed)).toMatch(/^[a-z]+\.[a-z]+\.[0-9a-f]{4}@example\.org$/);
    expect(generatePerson(seed, "GB").postalCode).toMatch(/^[A-Z]{1,2}\d/);
  }
});
