/** A copy of the checkout that may be changed: the work tree itself is never touched. */
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";

const root = new URL("../..", import.meta.url).pathname;

/** Copies all files that git knows or would add, and links what is installed. */
export async function copyCheckout(folder: string): Promise<void> {
  const listed = Bun.spawn(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const files = (await new Response(listed.stdout).text()).split("\0").filter((file) => file !== "");
  if (files.length === 0) throw new Error("git lists no files here. The mutants need a checkout of the repository.");
  await Promise.all(files.map((file) => copyFile(file, folder)));
  const workspaces = [...new Bun.Glob("{apps,packages}/*/node_modules/").scanSync({ cwd: root, onlyFiles: false })];
  await Promise.all(["node_modules", ...workspaces].map((modules) => linkModules(modules, folder)));
  // Compiled contracts and chains: the tests would make them anew. Mutants change nothing of the work tree, this neither.
  const cache = join(root, ".cardkeep/cache");
  if (existsSync(cache)) await cp(cache, join(folder, ".cardkeep/cache"), { recursive: true });
}

async function copyFile(file: string, folder: string): Promise<void> {
  // Deleted in the work tree, and not yet in a commit.
  if (!existsSync(join(root, file))) return;
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await cp(join(root, file), join(folder, file));
}

/** Relative links lead to the copy's own packages; installed ones stay where they are. */
async function linkModules(modules: string, folder: string): Promise<void> {
  for (const entry of await readdir(join(root, modules), { withFileTypes: true })) {
    const path = join(modules, entry.name);
    await mkdir(join(folder, modules), { recursive: true });
    if (entry.isSymbolicLink()) await symlink(await readlink(join(root, path)), join(folder, path));
    else if (entry.name.startsWith("@")) await linkModules(path, folder);
    else await symlink(join(root, path), join(folder, path));
  }
}
