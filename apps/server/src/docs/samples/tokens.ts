/** Splits code into tokens for colouring, on the server and in the page alike. */
import bash from "@speed-highlight/core/languages/bash.js";
import go from "@speed-highlight/core/languages/go.js";
import json from "@speed-highlight/core/languages/json.js";
import python from "@speed-highlight/core/languages/py.js";
import typescript from "@speed-highlight/core/languages/ts.js";
import { type ShjLanguageData, tokenizeWith } from "@speed-highlight/core/tokenize";

interface CodeToken {
  readonly text: string;
  /** The class that colours it, or null for plain text. */
  readonly tone: string | null;
}

/** By the language's name in a tab or after the fence of a code block. */
const grammars = {
  curl: bash,
  sh: bash,
  bash,
  typescript,
  ts: typescript,
  js: typescript,
  python,
  py: python,
  go,
  json,
  // The library declares a property that a rule lacks as present and undefined.
} as Readonly<Record<string, ShjLanguageData>>;

/** `k` keyword or name, `s` text, `n` number or constant, `c` comment, `f` function. */
const tones: Readonly<Record<string, string>> = {
  kwd: "k",
  var: "k",
  type: "k",
  str: "s",
  num: "n",
  bool: "n",
  cmnt: "c",
  func: "f",
};

/** The tokens of a code, which joined are the code. An unknown language is one plain token. */
export function splitTokens(code: string, language: string): CodeToken[] {
  const grammar = grammars[language];
  if (grammar === undefined) return [{ text: code, tone: null }];
  const tokens: CodeToken[] = [];
  tokenizeWith(code, grammar, (text, type) => {
    // In a shell's words, numbers are parts of addresses and ids.
    const tone = grammar === bash && type === "num" ? null : tones[type ?? ""];
    if (text !== "") tokens.push({ text, tone: tone ?? null });
  });
  return tokens;
}
