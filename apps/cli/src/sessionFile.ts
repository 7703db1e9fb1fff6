/** The secrets of a person's sessions at this terminal, one for each installation, in a file that its owner alone can read. */
import { createSecretFile, createSecretFolder, replaceSecretFile } from "./keys/secretFile.ts";
import { CommandError } from "./errors.ts";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/** Secrets by the public address of the installation; null where the person signed out. */
const secrets = z.record(z.string(), z.string().nullable());

/** What of the settings says which file, and which entry in it. */
export interface SessionPlace {
  readonly configFolder: string;
  readonly publicUrl: string;
}

const pathOf = ({ configFolder }: SessionPlace): string => join(configFolder, "sessions.json");

function readAll(place: SessionPlace): Record<string, string | null> {
  const path = pathOf(place);
  if (!existsSync(path)) return {};
  if ((statSync(path).mode & 0o077) !== 0)
    throw new CommandError(`${path} is open to other users: run \`chmod 600\` on it, and sign in again`);
  try {
    return secrets.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new CommandError(`${path} cannot be read: remove it, and sign in again`);
  }
}

/** The secret of the session with an installation; null without one. @throws CommandError */
export const readSessionSecret = (place: SessionPlace): string | null => readAll(place)[place.publicUrl] ?? null;

/** Whether the last thing that the person did here was to sign out. @throws CommandError */
export const isSignedOut = (place: SessionPlace): boolean => readAll(place)[place.publicUrl] === null;

/** Keeps the secret of a session, or that the person signed out. @throws CommandError */
export function writeSessionSecret(place: SessionPlace, secret: string | null): void {
  const path = pathOf(place);
  const change = () => `${JSON.stringify({ ...readAll(place), [place.publicUrl]: secret })}\n`;
  if (existsSync(path)) return replaceSecretFile(path, change);
  createSecretFolder(dirname(path));
  createSecretFile(path, change());
}
