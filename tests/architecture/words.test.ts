import { describe, expect, test } from "bun:test";
import { findVagueWords } from "./plainWords.ts";
import { listSources } from "./sources.ts";

/** Texts of the published API, word for word. */
const published: readonly string[] = ["Payments for somebody else"];

const sources = listSources().filter(({ path }) => path.includes("/src/"));

describe("the source says in plain words", () => {
  test("who does what", () => expect(findVagueWords(sources, published)).toEqual([]));
});

describe("a planted vague word is found:", () => {
  const plant = (text: string) => [{ path: "packages/db/src/a.ts", text }];

  test("in a comment, a string and an identifier, with its line", () => {
    const text = ["// Whoever asks is answered.", 'const text = "The key is told once";', "const tellCents = told_at;"];
    expect(findVagueWords(plant(text.join("\n")), [])).toEqual([
      "packages/db/src/a.ts:1: says Whoever: // Whoever asks is answered.",
      'packages/db/src/a.ts:2: says told: const text = "The key is told once";',
      "packages/db/src/a.ts:3: says tell, told: const tellCents = told_at;",
    ]);
  });

  test("but not inside a longer word, nor in a published text", () => {
    expect(findVagueWords(plant("// A storyteller retold it: intellect, metallic."), [])).toEqual([]);
    const text = 'const text = "The issuer told of it";';
    expect(findVagueWords(plant(text), ["The issuer told of it"])).toEqual([]);
    expect(findVagueWords(plant(text), ["The bank told of it"])).toHaveLength(1);
  });
});
