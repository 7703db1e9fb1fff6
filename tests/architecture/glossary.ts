/**
 * The glossary of packages/README.md, and the names that do not keep to it.
 *
 * - name: a file, a folder, an exported identifier, a field of a type, a table or a column.
 * - word: a part of a name, in lower case and the singular, as `safe` and `account` of `safeAccounts.ts`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, type Source } from "./sources.ts";

interface Glossary {
  /** Words that name a thing. */
  words: ReadonlySet<string>;
  /** Words of the column "do not use". */
  refused: ReadonlySet<string>;
}

/** Words that end in `s` and are no plurals. */
const singulars = new Set(["aws", "cors", "ens", "gas", "kms", "postgres", "sms"]);

/** `policies` is `policy`, `hashes` is `hash`, and `address` stays. */
function toSingular(word: string): string {
  if (singulars.has(word) || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return word.replace(/ies$/, "y");
  return word.replace(/(?:(?<=ch|sh|x|ss)e)?s$/, "");
}

/** The words of a name. */
const splitName = (name: string): string[] =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((part) => toSingular(part.toLowerCase()));

/** The table of things in packages/README.md. */
export function readGlossary(): Glossary {
  const text = readFileSync(join(root, "packages/README.md"), "utf8");
  const rows = [...text.matchAll(/^\|([^|]+)\|([^|]+)\|([^|]*)\|$/gm)].slice(2);
  const listWords = (cell = "") => (cell.match(/[A-Za-z]+/g) ?? []).flatMap(splitName);
  return {
    words: new Set(rows.flatMap(([, , word]) => listWords(word))),
    refused: new Set(rows.flatMap(([, , , refused]) => (refused ?? "").split(",").flatMap((term) => singleWord(term)))),
  };
}

/** A term of several words cannot be found in a name by its parts: each of them is a good word alone. */
const singleWord = (term: string): string[] => (/^\s*[a-z]+\s*$/.test(term) ? splitName(term) : []);

/** The files and folders of a package's source. */
export const namesOfPath = (path: string): string[] =>
  path
    .replace(/(\.d)?\.ts$/, "")
    .split("/")
    .slice(3);

const exported = /^export (?:async |abstract )*(?:function|const|class|interface|type) (\w+)/gm;
const exportedValue = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;
const objectType = /^(?:export )?(?:interface|type) [^{;]*\{\n([^]*?)^\}/gm;
const field = /^ +(?:readonly )?(\w+)\??[:(]/gm;

const listNames = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = ""]) => name);

/** What a refused word names nevertheless, where it is another thing's proper word. */
export interface Exception {
  word: string;
  /** A part of the path, or the exact name of an identifier. */
  where: RegExp;
  why: string;
}

const isExcepted = (exceptions: readonly Exception[], word: string, place: string): boolean =>
  exceptions.some((exception) => exception.word === word && exception.where.test(place));

/** Files, folders, exported identifiers and fields of types with a word that the glossary refuses. */
export const findRefusedNames = (
  sources: readonly Source[],
  refused: ReadonlySet<string>,
  exceptions: readonly Exception[],
): string[] =>
  sources.flatMap(({ path, text }) => {
    const fields = listNames(text, objectType).flatMap((body) => listNames(body, field));
    const names = [...namesOfPath(path), ...listNames(text, exported), ...fields];
    return findRefusedWords(path, names, refused, exceptions);
  });

/** The names among `names` with a refused word. */
export const findRefusedWords = (
  place: string,
  names: readonly string[],
  refused: ReadonlySet<string>,
  exceptions: readonly Exception[],
): string[] =>
  [...new Set(names)].flatMap((name) =>
    splitName(name)
      .filter((word) => refused.has(word) && !isExcepted(exceptions, word, `${place} ${name}`))
      .map((word) => `${place}: ${name} says ${word}`),
  );

/** The nouns that a floor's folder has files or folders for, in any of its subjects. */
export const listNouns = (sources: readonly Source[], folder: string): ReadonlySet<string> =>
  new Set(
    sources.flatMap(({ path }) =>
      path.startsWith(`${folder}/`)
        ? path
            .slice(folder.length + 1)
            .replace(/\.ts$/, "")
            .split("/")
        : [],
    ),
  );

/** Names of values that more than one file of a folder exports, with the files. */
export function findSharedNames(sources: readonly Source[], folder: string): string[] {
  const values = sources
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .flatMap(({ path, text }) => listNames(text, exportedValue).map((name) => ({ name, path })));
  return [...Map.groupBy(values, ({ name }) => name)]
    .map(([name, places]) => ({ name, paths: [...new Set(places.map(({ path }) => path))] }))
    .filter(({ paths }) => paths.length > 1)
    .map(({ name, paths }) => `${name}: ${paths.join(", ")}`);
}
