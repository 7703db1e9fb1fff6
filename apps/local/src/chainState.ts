/**
 * The state file of a local chain.
 *
 * - exit state: the file itself. The node writes it in place when it ends.
 * - saved state: `<file>.saved`, gzip. This program writes it while the node runs, and replaces it as a whole.
 */
import { existsSync, statSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Hex } from "viem";
import { z } from "zod";

/** Empty blocks that a restart keeps. The follower and clients read only the newest ones. */
const emptyBlocksMax = 1_024;

const savedPathOf = (stateFile: string): string => `${stateFile}.saved`;

const dump = z.looseObject({
  best_block_number: z.number(),
  blocks: z.array(z.looseObject({ header: z.looseObject({ number: z.string() }), transactions: z.array(z.unknown()) })),
});

/** Saves the node's answer to `anvil_dumpState`. */
export const saveState = (stateFile: string, dumped: Hex): Promise<void> =>
  writeWhole(savedPathOf(stateFile), Buffer.from(dumped.slice(2), "hex"));

/**
 * Writes a state to `stateFile` that the node can read: the newer complete one of exit state and saved state,
 * otherwise `seeded`.
 *
 * It drops old empty blocks. One day of them takes 150 MB, and the node writes all of them at every save.
 */
export async function restoreState(stateFile: string, seeded: string): Promise<void> {
  const candidates = [stateFile, savedPathOf(stateFile)].filter((path) => existsSync(path));
  const newestFirst = candidates.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const path of newestFirst) {
    const state = await readState(path);
    if (state !== null) return writeWhole(stateFile, new TextEncoder().encode(JSON.stringify(leaveOutEmpty(state))));
  }
  await writeWhole(stateFile, await Bun.file(seeded).bytes());
}

/** Null for a file that a kill cut short. */
async function readState(path: string): Promise<z.infer<typeof dump> | null> {
  const bytes = await Bun.file(path).bytes();
  try {
    const text = new TextDecoder().decode(path.endsWith(".saved") ? gunzipSync(bytes) : bytes);
    return dump.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function leaveOutEmpty(state: z.infer<typeof dump>): z.infer<typeof dump> {
  const oldest = state.best_block_number - emptyBlocksMax;
  const isKept = ({ header, transactions }: (typeof state.blocks)[number]) =>
    transactions.length > 0 || Number(header.number) > oldest || Number(header.number) === 0;
  return { ...state, blocks: state.blocks.filter(isKept) };
}

/** Writes a temporary file and renames it, so that a reader never sees half a file. */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await Bun.write(partial, bytes);
  await rename(partial, path);
}
