import { actions as noun } from "@cardkeep/desk/nouns/actions";
import { exportActions } from "@cardkeep/domain/core/operators/listActions";
import { type ActionVerification, verifyActions } from "@cardkeep/domain/core/operators/verifyActions";
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { CommandError } from "./errors.ts";
import { parseBy, parseText, withJson } from "./parameters.ts";

/** A part of one could be met by another log. */
const hash = z.string().regex(/^[0-9a-f]{64}$/, "it must be a whole hash, which has 64 digits");

const renderVerification = ({ verified, head, faults }: ActionVerification): string =>
  [
    ...faults.map(({ sequence, text }) => `Action ${sequence}: ${text}`),
    faults.length === 0
      ? `The chain is whole: ${verified} actions.`
      : `Faults: ${faults.length}, in ${verified} actions.`,
    `The last action is ${head.sequence} with the hash ${head.hash}\n`,
  ].join("\n");

/** Writes one line for each action as it is read; a million of them need no memory. @throws CommandError if the file exists */
async function writeLines(file: string, rows: ReturnType<typeof exportActions>): Promise<number> {
  let count = 0;
  async function* formatRows() {
    for await (const row of rows) {
      count += 1;
      yield `${JSON.stringify(row)}\n`;
    }
  }
  await pipeline(formatRows, createWriteStream(file, { flags: "wx", mode: 0o600 })).catch((error: unknown) => {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isThere ? new CommandError(`${file} exists: name another file`) : error;
  });
  return count;
}

export const actions = buildNoun(noun, {
  verify: buildVerb({
    verb: "actions.verify",
    brief: "Recomputes the chain of hashes; exit code 1 if an action was changed, removed or inserted",
    details:
      "Write the last hash down elsewhere, or take it from the log of a server. Given as --head, it shows later that the log\n" +
      "was neither cut nor rewritten as a whole.",
    waitsFor: "recomputes the hashes",
    example: `actions verify --head ${"3b1c6f0d".repeat(8)}`,
    parameters: {
      flags: withJson({
        head: {
          kind: "parsed",
          parse: parseBy(hash),
          optional: true,
          placeholder: "HASH",
          brief: "A hash that was written down earlier",
        } as const,
      }),
    },
    run: async (cli: CliContext, { head = null }: { head?: string | null }) => {
      const data = await verifyActions(await cli.open(), {
        head,
        onProgress: (done, total) => cli.terminal.progress.count(done, total),
      });
      return { data, text: renderVerification(data), exitCode: data.faults.length === 0 ? 0 : 1 };
    },
  }),
  export: buildVerb({
    verb: "actions.export",
    brief: "Writes all actions in their order into a new file, as lines of JSON",
    details: "An auditor recomputes the hash of each line: packages/domain/src/core/operators/hashAction.ts says how.",
    waitsFor: "writes the actions",
    example: "actions export --out actions.jsonl",
    parameters: {
      flags: withJson({
        out: { kind: "parsed", parse: parseText, placeholder: "FILE", brief: "File to write" } as const,
      }),
    },
    run: async (cli: CliContext, { out }: { out: string }) => {
      const file = resolve(out);
      const count = await writeLines(file, exportActions(await cli.open()));
      return { data: { file, actions: count }, text: `${file} holds ${count} actions.\n` };
    },
  }),
});
