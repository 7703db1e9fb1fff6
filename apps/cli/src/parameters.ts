/** Flags and arguments that several commands take, and how their values are read. */
import { reasonLengthMax } from "@cardkeep/domain/core/operators/reason";
import { suggest } from "@cardkeep/terminal/suggestion";
import { z } from "zod";
import { describeIssue } from "./describeIssue.ts";
import { UsageError } from "./errors.ts";

/** Refuses an empty value: a shell makes one of a variable that is not set. */
export function parseText(text: string): string {
  if (text === "") throw new UsageError("it is empty");
  return text;
}

/** Reads one of some words. */
export const parseChoice =
  <const V extends string>(values: readonly V[]) =>
  (text: string): V => {
    const found = values.find((value) => value === text);
    if (found !== undefined) return found;
    throw new UsageError(`it must be one of ${values.join(", ")}.${suggest(text, values)}`);
  };

/** Reads a decimal number. */
export function parseNumber(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new UsageError("it must be a number");
  return Number(text);
}

/** Reads a value by a schema, whose first fault is the message. */
export const parseBy =
  <O, I>(schema: z.ZodType<O, I>, read: (text: string) => unknown = parseText) =>
  (text: string): O => {
    const parsed = schema.safeParse(read(text), { error: describeIssue });
    if (!parsed.success) throw new UsageError(parsed.error.issues[0]?.message);
    return parsed.data;
  };

/**
 * Reads all flags of a command by a schema of the domain. `flagNames` has the flags that are not called as their field.
 *
 * @throws UsageError that names the flag
 */
export function parseInput<O, I>(schema: z.ZodType<O, I>, input: I, flagNames: Record<string, string> = {}): O {
  const parsed = schema.safeParse(input, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path[0] ?? "");
  const name = (flagNames[field] ?? field).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`Invalid value for --${name}: ${issue?.message}`);
}

const json = {
  kind: "boolean",
  optional: true,
  withNegated: false,
  brief: "Print one JSON document instead of text",
} as const;

const reason = {
  kind: "parsed",
  parse: parseBy(z.string().max(reasonLengthMax)),
  optional: true,
  placeholder: "TEXT",
  brief: "Why you do it, for the action log. It is kept for ever: give no personal data",
} as const;

const exact = {
  kind: "boolean",
  optional: true,
  withNegated: false,
  brief: "Print instants and amounts in full, and cut nothing",
} as const;

/** The flags of a command together with `--json` alone. Without a prototype: `--to-string` names no flag. */
export const withJsonAlone = <const F extends object>(flags: F): F & { json: typeof json } =>
  Object.assign(Object.create(null), flags, { json });

/** The flags of a command together with `--json` and `--exact`. */
export const withJson = <const F extends object>(flags: F): F & { json: typeof json; exact: typeof exact } =>
  Object.assign(withJsonAlone(flags), { exact });

/** The flags of a command that changes something: with `--json`, `--exact` and `--reason`. */
export const withReason = <const F extends object>(
  flags: F,
): F & { json: typeof json; exact: typeof exact; reason: typeof reason } => Object.assign(withJson(flags), { reason });

/** A flag with a text as its value, which may be left out. */
export const optionalText = <const P extends string, const B extends string>(placeholder: P, brief: B) =>
  ({ kind: "parsed", parse: parseText, optional: true, placeholder, brief }) as const;

/** A flag with a number as its value, which may be left out. */
export const optionalNumber = <const P extends string, const B extends string>(placeholder: P, brief: B) =>
  ({ kind: "parsed", parse: parseNumber, optional: true, placeholder, brief }) as const;

/** A flag that is on where it is given. */
export const optionalSwitch = <const B extends string>(brief: B) =>
  ({ kind: "boolean", optional: true, withNegated: false, brief }) as const;

/** Arguments that are texts, in order; each has to be given. */
export const textArgument = <const P extends string, const B extends string>(placeholder: P, brief: B) =>
  ({ kind: "tuple", parameters: [{ parse: parseText, placeholder, brief }] }) as const;
