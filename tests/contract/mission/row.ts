/** Rows of the table: a statement of the published document, and the proof by a running service. */
import { expect } from "bun:test";
import type { Answer } from "../../support/person.ts";
import type { World } from "./world.ts";

export interface Row {
  says: string;
  check(world: World): void | Promise<void>;
}

type Kind = string | readonly string[];

const isText = (value: unknown): value is string => typeof value === "string";

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isText,
  number: (value) => typeof value === "number" && Number.isFinite(value),
  boolean: (value) => typeof value === "boolean",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "date-time": (value) => isText(value) && new Date(value).toISOString() === value,
  hex: (value) => isText(value) && /^0x([0-9a-f]{2})*$/.test(value),
  address: (value) => isText(value) && /^0x[a-fA-F0-9]{40}$/.test(value),
  "decimal string": (value) => isText(value) && /^[0-9]+(\.[0-9]+)?$/.test(value),
  JWT: (value) => isText(value) && value.split(".").length === 3,
  URL: (value) => isText(value) && URL.canParse(value),
};

/** A kind of value, or the values themselves. */
export function fieldRows(
  resource: string,
  pick: (world: World) => Record<string, unknown>,
  fields: Readonly<Record<string, Kind>>,
): Row[] {
  return Object.entries(fields).map(([name, kind]) => ({
    says: `${resource}.${name}: ${isText(kind) ? kind : kind.join(" | ")}`,
    check: (world) => {
      const value = pick(world)[name];
      if (!isText(kind)) {
        expect(kind).toContain(value as string);
        return;
      }
      const isKind = kinds[kind];
      if (!isKind) throw new Error(`There is no kind ${kind}`);
      expect([name, value, isKind(value)]).toEqual([name, value, true]);
    },
  }));
}

/** A request whose answer is exactly this. */
export function answerRow(
  says: string,
  ask: (world: World) => Answer | Promise<Answer>,
  expected: { status: number; body: unknown },
): Row {
  return {
    says,
    check: async (world) => {
      const { status, body } = await ask(world);
      expect({ status, body }).toEqual(expected);
    },
  };
}

/** The answer stored under a name. */
export function answerOf({ answers }: World, name: string): Answer {
  const answer = answers[name];
  if (!answer) throw new Error(`Nothing was asked as ${name}`);
  return answer;
}
