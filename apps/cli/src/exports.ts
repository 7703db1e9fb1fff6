/** Exports of finance into files, which go on where they ended. */
import { exports as noun } from "@cardkeep/desk/nouns/exports";
import { type ExportFormat, exportFormats, findResumption } from "@cardkeep/domain/operations/exports/formats";
import { beginExport } from "@cardkeep/domain/operations/exports/runExport";
import { createWriteStream, existsSync, statSync } from "node:fs";
import { open, truncate } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { buildChange } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { CommandError } from "./errors.ts";
import { optionalSwitch, optionalText, parseText, textArgument, withReason } from "./parameters.ts";

/** The longest record is a part of this. */
const tailBytes = 64 * 1024;

interface Begun {
  /** Its beginning. */
  readonly head: string;
  /** The cursor of its last whole record; null where it has none. */
  readonly cursor: string | null;
  /** The bytes up to the end of that record. */
  readonly whole: number;
}

/** Reads what a file holds of an export, and leaves it as it is. */
async function readBegun(path: string, format: ExportFormat): Promise<Begun> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    // One character for each byte: a cut within a letter changes no length.
    const found = findResumption(format, buffer.toString("latin1", 0, bytesRead));
    const head = (await file.read(Buffer.alloc(tailBytes), 0, tailBytes, 0)).buffer;
    return {
      head: head.toString("utf8", 0, Math.min(size, tailBytes)),
      cursor: found?.cursor ?? null,
      whole: found === null ? 0 : size - found.rest,
    };
  } finally {
    await file.close();
  }
}

interface Flags {
  readonly format?: ExportFormat;
  readonly from?: string;
  readonly to?: string;
  readonly after?: string;
  readonly out: string;
  readonly resume?: boolean;
}

export const exports = buildNoun(noun, {
  run: buildChange<Flags, [string]>({
    verb: "exports.run",
    brief: "Writes the records of an export into a file",
    details:
      "Each record ends with its cursor. --resume completes a file that was cut, behind its last whole record, and --after goes on behind\n" +
      "a cursor, in another file: give the same days, and --after again to resume that file. But for journal, both need a --to that is\n" +
      "over. beancount is a form of ledger and journal; bean-check reads it.",
    waitsFor: "writes the records",
    example: [
      "exports run clearings --from 2026-11-01 --to 2026-11-30 --out clearings.csv",
      "exports run journal --format beancount --out journal.beancount",
    ],
    parameters: {
      flags: withReason({
        format: {
          kind: "enum",
          values: exportFormats,
          optional: true,
          brief: "Form of the file; default csv",
        } as const,
        from: optionalText("DAY", "First day, in the time zone of statements"),
        to: optionalText("DAY", "Last day; without it up to a minute ago"),
        after: optionalText("CURSOR", "Go on behind the record with this cursor"),
        out: { kind: "parsed", parse: parseText, placeholder: "FILE", brief: "File to write" } as const,
        resume: optionalSwitch("Go on where the file ends"),
      }),
      positional: textArgument("export", "Name of the export, from `exports list`"),
    },
    run: async (cli: CliContext, { out, resume = false, format = "csv", ...given }: Flags, name: string) => {
      const path = resolve(out);
      const ctx = await cli.open();
      if (!resume && existsSync(path)) throw new CommandError(`${path} exists: name another file, or use --resume`);
      const begun = resume && existsSync(path) ? await readBegun(path, format) : null;
      const after = begun?.cursor ?? given.after;
      const input = { name, format, from: given.from, to: given.to, after };
      const { pieces, isOf } = await beginExport(ctx, input, { isResumed: resume });
      if (begun !== null && begun.head !== "") {
        if (!(await isOf(begun.head, given.after !== undefined && begun.cursor !== null)))
          throw new CommandError(`${path} is no file of the export ${name} as ${format}: name another file`);
        await truncate(path, begun.whole);
      }
      await pipeline(pieces, createWriteStream(path, { flags: "a", mode: 0o600 }));
      const { size } = statSync(path);
      return { data: { file: path, bytes: size }, text: `${path} holds ${size} bytes.\n` };
    },
  }),
});
