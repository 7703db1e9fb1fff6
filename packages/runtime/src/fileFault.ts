const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this process may not read it",
  EISDIR: "it is a folder",
};

/** Why a file could not be read, in a sentence without its path; null for an error of another kind. */
export function describeFileFault(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code === "" ? null : (reasons[code] ?? code);
}
