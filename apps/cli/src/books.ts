import { books as noun, latestDay } from "@cardkeep/desk/nouns/books";
import { createVerbSource } from "@cardkeep/desk/source";
import { type Close } from "@cardkeep/domain/books/closes/closes";
import { exportClose } from "@cardkeep/domain/books/closes/exportClose";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { proveStatement } from "@cardkeep/domain/books/closes/proveStatement";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { CommandError } from "./errors.ts";
import { parseText, textArgument, withJson, withReason } from "./parameters.ts";

/** People's money: for the owner of the file alone, and never through a link that is there already. */
const newFile = { flag: "wx", mode: 0o600 } as const;

const describeClose = ({ day, root, postings, items }: Close): string =>
  `${day} is closed: ${postings} postings, ${items.length} open items.\nroot ${root}\n`;

const close = buildChange<{ reason?: string }, readonly string[]>({
  verb: "books.close",
  brief: "Closes every open day up to one that is over; without a day, up to yesterday",
  details:
    "Posts what is new, reads chain and issuer, and keeps balances, comparisons, items and root of each day. A closed day stays\n" +
    "as it is. A close that was cut off goes on where it was.",
  waitsFor: "posts what is new and closes the days that are over",
  example: ["books close", "books close 2026-11-30 --json"],
  parameters: {
    flags: withReason({}),
    positional: {
      kind: "array",
      minimum: 0,
      maximum: 1,
      parameter: { parse: parseText, placeholder: "day", brief: "Day, such as 2026-11-30" },
    },
  },
  run: async (cli: CliContext, { reason }: { reason?: string }, day = latestDay) => {
    const source = cli.remote ?? createVerbSource(() => cli.open());
    const row = await source.act(noun, "close", day, reason === undefined ? {} : { reason });
    return { data: row.data, text: describeClose(row.data as Close) };
  },
});

async function writePostings(ctx: OperatorContext, day: string, path: string): ReturnType<typeof exportClose> {
  const writer = await open(path, newFile.flag, newFile.mode);
  const write = (lines: readonly string[]) => writer.appendFile(lines.map((line) => `${line}\n`).join(""));
  try {
    return await exportClose(ctx, { day, write });
  } finally {
    await writer.close();
  }
}

const leaves = buildVerb<{ out: string }, [string]>({
  verb: "books.export",
  brief: "Writes a closed day as files that anybody can check: close.json and postings.jsonl",
  details: "The guide Books describes both, and how to check them.",
  example: "books export 2026-11-30 --out ./books",
  parameters: {
    flags: withJson({
      out: { kind: "parsed", parse: parseText, placeholder: "folder", brief: "Folder to write, made if it is missing" },
    }),
    positional: textArgument("day", "Day, such as 2026-11-30"),
  },
  run: async (cli: CliContext, { out }: { out: string }, day: string) => {
    const ctx = await cli.open();
    mkdirSync(out, { recursive: true, mode: 0o700 });
    const [closeFile, postingsFile] = [join(out, "close.json"), join(out, "postings.jsonl")];
    const [closePart, postingsPart] = [`${closeFile}.part`, `${postingsFile}.part`];
    const removeParts = () => Promise.all([closePart, postingsPart].map((part) => rm(part, { force: true })));
    // What one left that was cut off.
    await removeParts();
    try {
      const { close: made, document } = await writePostings(ctx, day, postingsPart);
      writeFileSync(closePart, document, newFile);
      // The files of an earlier export stay where this one is refused.
      await rename(postingsPart, postingsFile);
      await rename(closePart, closeFile);
      const { root, digest, postings } = made;
      const data = { day: made.day, root, digest, postings, files: ["close.json", "postings.jsonl"] };
      return { data, text: `${postings} postings of ${made.day} are in ${out}.\nroot ${root}\ndigest ${digest}\n` };
    } finally {
      await removeParts();
    }
  },
});

const prove = buildVerb<{ out: string }, [string, string]>({
  verb: "books.prove",
  brief: "Writes the statement of a person with proofs that its postings are in closed days",
  details: "Give it to the person: it shows no posting of others. The guide Books describes it.",
  example: "books prove 3f1c9a52 2026-11 --out proof.json",
  parameters: {
    flags: withJson({
      out: { kind: "parsed", parse: parseText, placeholder: "file", brief: "File to write; it must not exist" },
    }),
    positional: {
      kind: "tuple",
      parameters: [
        { parse: parseText, placeholder: "user", brief: "Id, mail address, wallet or Safe of the user" },
        { parse: parseText, placeholder: "month", brief: "Month that is over, such as 2026-11" },
      ],
    },
  },
  run: async (cli: CliContext, { out }: { out: string }, user: string, month: string) => {
    const path = resolve(out);
    if (existsSync(path)) throw new CommandError(`${path} exists: name another file`);
    const proof = await proveStatement(await cli.open(), { user, month });
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(proof), newFile);
    const days = new Set(proof.proofs.map(({ day }) => day)).size;
    const data = { month, postings: proof.proofs.length, days, file: out };
    return { data, text: `${data.postings} postings of ${days} days are proved in ${out}.\n` };
  },
});

export const books = buildNoun(noun, { close, export: leaves, prove });
