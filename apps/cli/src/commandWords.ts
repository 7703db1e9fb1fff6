/** The words of every command, as a completion offers them. */
import type { Command, RouteMap } from "@stricli/core";
import type { CliContext } from "./context.ts";

/** What may be typed behind the words of a path. */
export interface CommandWords {
  /** `""`, `cards` or `cards list`. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly brief: string }[];
  /** The values of flags that take one of some words, by the flag. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

const help = { word: "--help", brief: "Print what can be typed here" };
const toKebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function describeCommand(path: string, { parameters: { flags = {} } }: Command<CliContext>): CommandWords {
  const named = Object.entries(flags).map(([name, flag]) => ({ word: `--${toKebab(name)}`, flag }));
  return {
    path,
    words: [...named.map(({ word, flag }) => ({ word, brief: flag.brief })), help],
    values: Object.fromEntries(
      named.flatMap(({ word, flag }) => (flag.kind === "enum" ? [[word, flag.values] as const] : [])),
    ),
  };
}

const listBelow = (path: string, tree: RouteMap<CliContext>): CommandWords[] => {
  const entries = tree.getAllEntries().map(({ name, target }) => ({ word: name["convert-camel-to-kebab"], target }));
  const below = entries.flatMap(({ word, target }) => {
    const next = [path, word].filter(Boolean).join(" ");
    return "getAllEntries" in target ? listBelow(next, target) : [describeCommand(next, target)];
  });
  const words = [...entries.map(({ word, target }) => ({ word, brief: target.brief })), help];
  return [{ path, words, values: {} }, ...below];
};

/** The words of each level of the tree of commands, from the top. */
export const listCommandWords = (tree: RouteMap<CliContext>): CommandWords[] => listBelow("", tree);
