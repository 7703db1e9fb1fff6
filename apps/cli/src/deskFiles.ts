/** Acts that answer a file: over `--server` it is written to this machine. */
import type { Noun, NounAct } from "@cardkeep/desk/noun";
import type { Command } from "@stricli/core";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { type Answer, buildChange } from "./answer.ts";
import type { CliContext } from "./context.ts";
import {
  buildArguments,
  buildInput,
  type Commands,
  describeParameters,
  type Flags,
  listArguments,
  nameWords,
  readWords,
} from "./desk.ts";
import { CommandError } from "./errors.ts";
import { parseText, withReason } from "./parameters.ts";

const out = {
  kind: "parsed",
  parse: parseText,
  placeholder: "FILE",
  brief: "File to write; it must not exist",
} as const;

/** Writes an answer as it comes, for its owner alone. @throws CommandError */
async function save(path: string, response: Response): Promise<number> {
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      await file.write(chunk);
      bytes += chunk.length;
    }
  } catch {
    throw new CommandError(`the server ended before the file did: ${path} holds ${bytes} bytes of it`);
  } finally {
    await file.close();
  }
  return bytes;
}

function buildFileAct(noun: Noun, name: string, act: NounAct): Command<CliContext> {
  const ordered = listArguments(act.inputs);
  const flags = Object.entries(act.inputs).map(([input, shape]) => [input, buildInput(shape)] as const);
  return buildChange<Flags, readonly string[]>({
    ...act,
    parameters: describeParameters({
      flags: withReason({ ...Object.fromEntries(flags), out }),
      positional: buildArguments(noun, act),
    }),
    run: async (cli: CliContext, given: Flags, key = "", ...others: readonly string[]): Promise<Answer> => {
      const { reason } = given;
      const path = resolve(String(given["out"]));
      if (cli.remote === null) throw new CommandError("without --server the files have commands of their own");
      if (existsSync(path)) throw new CommandError(`${path} exists: name another file`);
      const response = await cli.remote.download(noun, name, key, {
        ...readWords(act.inputs, given),
        ...nameWords(ordered, others),
        ...(typeof reason === "string" && { reason }),
      });
      const bytes = await save(path, response);
      return { data: { file: path, bytes }, text: `${path} holds ${bytes} bytes.\n` };
    },
  });
}

/** The commands of a noun's files. */
export const buildFiles = ({ acts, ...noun }: Noun): Commands =>
  Object.fromEntries(
    Object.entries(acts).flatMap(([name, act]) =>
      act.file ? [[name, buildFileAct({ ...noun, acts }, name, act)] as const] : [],
    ),
  );
