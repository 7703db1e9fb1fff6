/** The manifest of an archive, and the files that it names. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Month, PartitionedTable } from "../partitions.ts";
import { families, type FamilyName } from "./families.ts";

/** One table of an archive: its rows in Postgres' COPY text format, one a line, compressed by gzip. */
export interface ArchivedTable {
  name: PartitionedTable;
  columns: string[];
  rows: number;
  file: string;
  /** Of the compressed file. */
  sha256: string;
}

export interface Manifest {
  format: 1;
  family: FamilyName;
  month: Month;
  archivedAt: string;
  /** Each table comes after those that it refers to. */
  tables: ArchivedTable[];
}

/** An archive cannot be written or read back; the message says why. */
export class ArchiveError extends Error {}

export const manifestName = "manifest.json";

/** Reads an archive's manifest. @throws ArchiveError */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), "utf8").catch(() => {
    throw new ArchiveError(`${folder} holds no archive: it has no ${manifestName}`);
  });
  const manifest: Manifest = JSON.parse(text);
  if (manifest.format !== 1 || !Object.hasOwn(families, manifest.family))
    throw new ArchiveError(`${folder} was written by another version of this program`);
  return manifest;
}

/** Reads a file of an archive whole and compares it with the manifest. @throws ArchiveError */
export async function verifyFile(folder: string, { file, rows, sha256 }: ArchivedTable): Promise<void> {
  const hash = createHash("sha256");
  let lines = 0;
  const compressed = createReadStream(join(folder, file));
  compressed.on("data", (chunk) => hash.update(chunk));
  const counter = new Writable({
    write: (chunk: Buffer, _, done) => {
      for (const byte of chunk) if (byte === 10) lines += 1;
      done();
    },
  });
  await pipeline(compressed, createGunzip(), counter).catch((error: unknown) => {
    throw new ArchiveError(`${file} cannot be read: ${String(error)}`);
  });
  if (hash.digest("hex") !== sha256) throw new ArchiveError(`${file} has another checksum than its manifest says`);
  if (lines !== rows) throw new ArchiveError(`${file} has ${lines} rows, and its manifest says ${rows}`);
}
