/** Turns a built folder into the tarball that a registry takes. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "./tool.ts";

/** Packs `folder` into `out`, and answers the tarball's path and size. */
export async function packFolder(folder: string, out: string): Promise<{ file: string; bytes: number }> {
  const text = await runTool([process.execPath, "pm", "pack", "--quiet", "--destination", out], folder);
  const name = text.trim().split("\n").at(-1) ?? "";
  const file = name.startsWith("/") ? name : join(out, name);
  return { file, bytes: (await stat(file)).size };
}
