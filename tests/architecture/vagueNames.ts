/** Words that name no thing or act, so no file or folder has them in its name. Any other word of the trade is free to use. */
import { findRefusedWords, namesOfPath } from "./glossary.ts";
import type { Source } from "./sources.ts";

const vagueNames = new Set(
  "util helper common misc manager info item thing stuff object wrapper handle handler doer claim hand later door fence place general extra".split(
    " ",
  ),
);

const exceptions = [
  { word: "claim", where: /^packages\/providers\/src\/openid\/claims\.ts /, why: "A token of OpenID has claims." },
  { word: "object", where: /^packages\/db\/src\/sandbox\/issuerObjects\.ts /, why: "Stripe calls its resources so." },
];

/** Files and folders whose names have a word that hides what is in them. */
export const findVagueNames = (sources: readonly Source[]): string[] =>
  sources.flatMap(({ path }) => findRefusedWords(path, namesOfPath(path), vagueNames, exceptions));
