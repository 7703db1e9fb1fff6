/**
 * What every command is made of.
 *
 * - noun, verb: the first two words, `partners create`; a noun may be a command by itself.
 * - argument: a word after them, by its place. - flag: `--name value`, or `--name` alone for a switch.
 * - answer: what the verb gave, as data for `--json` and as text for people.
 */
import { findIllFormedText } from "@cardkeep/contract/text";
import type { z } from "zod";
import type { Session } from "./session.ts";
import { UsageError } from "./usageError.ts";

export interface Flag {
  /** A `list` may be given several times. */
  readonly kind: "text" | "number" | "list" | "switch";
  /** Its name where that is not the input's: one of a list's values, say. */
  readonly name?: string;
  /** What stands for its value in the usage. */
  readonly value?: string;
  readonly summary: string;
}

export interface Answer {
  readonly data: unknown;
  readonly text: string;
  /** 0 unless the answer itself is bad news. */
  readonly exitCode?: number;
}

export type RawInput = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface Command {
  readonly summary: string;
  /** Names of its arguments, in order; each has to be given. */
  readonly takes: readonly string[];
  /** By name as the input has it: `maxRedemptions` is `--max-redemptions`. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** @throws UsageError, before anything is opened, for input that makes no sense */
  run(session: Session, raw: RawInput): Promise<Answer>;
}

/** The verbs of one noun. */
export interface Noun {
  readonly summary: string;
  readonly verbs: Readonly<Record<string, Command>>;
}

/** How a flag is typed, without the dashes. */
export const flagNameOf = (inputName: string, { name }: Flag): string =>
  name ?? inputName.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Declares a command, whose input is checked against a schema before it runs. */
export function defineCommand<I extends z.ZodType>(command: {
  summary: string;
  takes?: readonly string[];
  flags?: Readonly<Record<string, Flag>>;
  input: I;
  run(session: Session, input: z.output<I>): Promise<Answer>;
}): Command {
  const { takes = [], flags = {}, input, run, summary } = command;
  return {
    summary,
    takes,
    flags,
    run: async (session, raw) => {
      const whereOf = ([name = ""]: readonly PropertyKey[]): string => {
        const flag = flags[String(name)];
        return flag ? `--${flagNameOf(String(name), flag)}` : `<${String(name)}>`;
      };
      const illFormed = findIllFormedText(raw);
      if (illFormed) throw new UsageError(`${whereOf(illFormed)}: holds a null character or an unpaired surrogate`);
      const parsed = input.safeParse(raw);
      if (parsed.success) return run(session, parsed.data);
      const [issue] = parsed.error.issues;
      const path = issue?.path ?? [];
      const [name = ""] = path;
      throw new UsageError(`${whereOf(path)}: ${name in raw ? issue?.message : "is needed"}`);
    },
  };
}
