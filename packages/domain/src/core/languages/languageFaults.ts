import { IntlMessageFormat } from "intl-messageformat";

/** The part of a parsed text that names its arguments. */
interface Node {
  readonly value?: unknown;
  readonly type: number;
  readonly options?: Readonly<Record<string, { readonly value: readonly Node[] }>>;
}

const literal = 0;
const pound = 7;

/** The names of a text's arguments, those in its choices too. */
const listArguments = (nodes: readonly Node[]): string[] =>
  nodes.flatMap(({ type, value, options = {} }) => [
    ...(type === literal || type === pound ? [] : [String(value)]),
    ...Object.values(options).flatMap((option) => listArguments(option.value)),
  ]);

/** The arguments of a text; null where it cannot be read. */
function findArguments(text: string): ReadonlySet<string> | null {
  try {
    return new Set(listArguments(new IntlMessageFormat(text, "en", undefined, { ignoreTag: true }).getAst() as Node[]));
  } catch {
    return null;
  }
}

function listLocaleFaults(code: string, locale: string | undefined): string[] {
  try {
    if (locale !== undefined) new Intl.Locale(locale);
    return [];
  } catch {
    return [`${code}: language.locale must be a tag of BCP 47, such as fr-CH`];
  }
}

/** What is wrong with a file of texts: unknown keys, texts that cannot be read, and arguments that English does not have. */
export function listLanguageFaults(
  code: string,
  texts: Readonly<Record<string, string>>,
  english: Readonly<Record<string, string>>,
): string[] {
  const named = /^[a-z]{2}$/.test(code) ? [] : [`${code}: the file must be named by two lower-case letters`];
  const found = Object.entries(texts).flatMap(([key, text]) => {
    const wanted = english[key];
    if (wanted === undefined) return [`${code}: ${key} is no text of this version`];
    if (typeof text !== "string") return [`${code}: ${key} must be a text`];
    const given = findArguments(text);
    if (given === null) return [`${code}: ${key} cannot be read as an ICU message`];
    const known = findArguments(wanted);
    return [...given].filter((name) => !known?.has(name)).map((name) => `${code}: ${key} has no argument ${name}`);
  });
  return [...named, ...found, ...listLocaleFaults(code, texts["language.locale"])];
}
