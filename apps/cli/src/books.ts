import { books as noun, latestDay } from "@cardkeep/desk/nouns/books";
import { createVerbSource } from "@cardkeep/desk/source";
import { type Close } from "@cardkeep/domain/books/closes/closes";
import { exportClose } from "@cardkeep/domain/books/closes/exportClose";
import { proveStatement } from "@cardkeep/domain/books/closes/proveStatement";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { CommandError } from "./errors.ts";
import { parseText, textArgument, withJson, withReason } from "./parameters.ts";

/** People's money: for the owner of the file alone, and never through a link that is there already. */
const newFile = { flag: "wx", mode: 0o600 } as const;

const describeClose = ({ day, root, postings, items }: Close): string =>
  `${day} is closed: ${postings} postings, ${items.length} open items.\nroot ${root}\n`;

const close = buildChange<object, readonly string[]>({
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
  run: async (cli: CliContext, _: object, day = latestDay) => {
    const source = cli.remote ?? createVerbSource(() => cli.open());
    const row = await source.act(noun, "close", day, {});
    return { data: row.data, text: describeClose(row.data as Close) };
  },
});

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
    for (const file of [closeFile, postingsFile]) rmSync(file, { force: true });
    const writer = await open(postingsFile, newFile.flag, newFile.mode);
    const write = (lines: readonly string[]) => writer.appendFile(lines.map((line) => `${line}\n`).join(""));
    let exported: Awaited<ReturnType<typeof exportClose>>;
    try {
      exported = await exportClose(ctx, { day, write });
    } finally {
      await writer.close();
    }
    const { close: made, document } = exported;
    writeFileSync(closeFile, document, newFile);
    const { root, digest, postings } = made;
    const data = { day: made.day, root, digest, postings, files: ["close.json", "postings.jsonl"] };
    return { data, text: `${postings} postings of ${made.day} are in ${out}.\nroot ${root}\ndigest ${digest}\n` };
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
    writeFileSync(path, JSON.stringify(proof), newFile);
    const days = new Set(proof.proofs.map(({ day }) => day)).size;
    const data = { month, postings: proof.proofs.length, days, file: out };
    return { data, text: `${data.postings} postings of ${days} days are proved in ${out}.\n` };
  },
});

export const books = buildNoun(noun, { close, export: leaves, prove });
