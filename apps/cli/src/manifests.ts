/** `cardkeep manifests`: files for Kubernetes and Docker Compose, from the schema of the settings. */
import { version } from "@cardkeep/contract/version";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Answer, buildVerb } from "./answer.ts";
import { z } from "zod";
import type { CliContext } from "./context.ts";
import type { ManifestFile } from "./manifests/files.ts";
import type { Installation } from "./manifests/installation.ts";
import { optionalText, parseBy, withJson } from "./parameters.ts";

const drainSecondsDefault = 8;
const drainSecondsMax = 300;

interface Flags {
  out?: string;
  image?: string;
  namespace?: string;
  drainSeconds?: number;
  serviceAccount?: string;
}

/** Writes one file, or its new text beside one that the operator filled in. */
function write(folder: string, { path, text, isFilledIn, isSecret }: ManifestFile): { path: string; status: string } {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  const isKept = isFilledIn && existsSync(target) && readFileSync(target, "utf8") !== text;
  writeFileSync(isKept ? `${target}.new` : target, text, isSecret ? { mode: 0o600 } : {});
  return { path: isKept ? `${path}.new` : path, status: isKept ? `beside ${path}, which stays` : "written" };
}

async function answer({
  out,
  image,
  namespace = "cardkeep",
  drainSeconds = drainSecondsDefault,
  serviceAccount,
}: Flags): Promise<Answer> {
  // The schemas of Kubernetes would slow down every other command.
  const { listFiles, renderObjects } = await import("./manifests/files.ts");
  const installation: Installation = {
    namespace,
    image: image ?? `cardkeep:${version}`,
    version,
    drainSeconds,
    serviceAccount: serviceAccount ?? null,
  };
  if (out === undefined) return { data: listFiles(installation), text: renderObjects(installation) };
  const written = listFiles(installation).map((file) => write(out, file));
  const lines = written.map(({ path, status }) => `${join(out, path)}  ${status}\n`);
  return { data: written, text: lines.join("") };
}

export const manifests = buildVerb({
  verb: "manifests.write",
  brief: "Writes manifests for Kubernetes and files for Docker Compose",
  details:
    "Without --out it prints the objects of Kubernetes. Files that you edit, such as settings and network policies, are never overwritten: their\n" +
    "new text is written beside them, with .new at the end.",
  waitsFor: "writes the files",
  example: "manifests --image registry.example.org/cardkeep:1.0.0",
  parameters: {
    flags: withJson({
      out: optionalText("folder", "Folder to write"),
      image: optionalText("image", "Image to run; default cardkeep and the version"),
      namespace: optionalText("name", "Namespace; default cardkeep"),
      serviceAccount: optionalText("name", "Service account of the worker, whose credentials a cloud's KMS accepts"),
      drainSeconds: {
        kind: "parsed",
        parse: parseBy(z.coerce.number<string>().int().min(0).max(drainSecondsMax)),
        optional: true,
        placeholder: "number",
        brief: "DRAIN_SECONDS of the servers; default 8",
      },
    }),
  },
  run: (_: CliContext, flags: Flags): Promise<Answer> => answer(flags),
});
