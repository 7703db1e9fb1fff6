/** The rules of README's "How it is built", each a function from the sources to its faults. */
import { type Import, listImports, moduleOf, packageOf, resolveOwn, type Source } from "./sources.ts";

/** No package imports its own floor or a higher one. */
const floors: Readonly<Record<string, number>> = {
  "packages/contract": 0,
  "packages/terminal": 0,
  // Between the floors: it imports the contract alone, and no package imports it.
  "packages/client": 0.5,
  // It imports the contract's words alone.
  "packages/html": 0.5,
  // It is published: it imports the client alone, and starts the program as a process.
  "packages/testing": 0.7,
  "packages/db": 1,
  "packages/chain": 1,
  "packages/providers": 1,
  "packages/domain": 2,
  // It describes what operators see of the domain.
  "packages/desk": 2.5,
  "packages/runtime": 3,
  "apps/server": 4,
  "apps/worker": 4,
  "apps/sandbox": 4,
  "apps/local": 4,
  "apps/cli": 4,
  // It builds the apps, so it may import them.
  "apps/pack": 5,
};

const chainPlaces = ["packages/chain/", "packages/testing/", "apps/local/", "apps/sandbox/"];

/** Modules that only some places may import, so that a change of one stays in one place. */
const reserved: Readonly<Record<string, readonly string[]>> = {
  viem: chainPlaces,
  siwe: ["packages/chain/"],
  ethers: ["packages/chain/"],
  "@gnosispay/account-kit": ["packages/chain/", "apps/local/"],
  jose: [
    "packages/domain/src/core/accessTokens/accessTokens.ts",
    "packages/domain/src/core/secrets/secrets.ts",
    "packages/providers/src/issuer/stripe.ts",
    "packages/providers/src/openid/signedToken.ts",
    "apps/sandbox/src/identity/",
  ],
  "drizzle-orm": ["packages/db/"],
  "drizzle-kit": ["packages/db/"],
  "openid-client": ["packages/providers/src/openid/"],
  "oidc-provider": ["apps/sandbox/src/identity/"],
  postgres: ["packages/db/"],
  elysia: ["apps/server/", "apps/sandbox/"],
  "@trpc/server": ["apps/server/", "packages/client/src/links.ts", "packages/client/src/types.ts"],
  "@viz-js/viz": ["packages/html/src/pictures/"],
  "@trpc/client": ["packages/client/"],
  "graphile-worker": ["apps/worker/", "packages/db/src/queue/migrate.ts"],
  pino: ["packages/runtime/"],
  solc: ["apps/local/"],
  stripe: ["packages/providers/src/issuer/"],
};

/** Where the environment may be read. The supervisor passes it to its children. */
const environmentPlaces = ["packages/runtime/", "packages/testing/src/startCardkeep.ts", "apps/local/"];

export type Manifests = ReadonlyMap<string, { name: string; dependencies: ReadonlySet<string> }>;

const isIn = (path: string, places: readonly string[]): boolean => places.some((place) => path.startsWith(place));

const each = (sources: readonly Source[], find: (source: Source, taken: Import) => string | null): string[] =>
  sources.flatMap((source) =>
    listImports(source).flatMap((taken) => {
      const fault = find(source, taken);
      return fault === null ? [] : [`${source.path}: ${fault}`];
    }),
  );

const foldersByName = (manifests: Manifests): Map<string, string> =>
  new Map([...manifests].map(([folder, { name }]) => [name, folder]));

/** Imports of the same floor or a higher one, and packages that have no floor. */
export function findUpwardImports(sources: readonly Source[], manifests: Manifests): string[] {
  const folders = foldersByName(manifests);
  const homeless = [...manifests.keys()]
    .filter((folder) => floors[folder] === undefined)
    .map((folder) => `${folder}: has no floor`);
  const upward = each(sources, (source, { specifier }) => {
    const from = packageOf(source.path);
    const target = resolveOwn(source, specifier, folders);
    const to = target === null ? from : packageOf(target);
    // The version of the program is in the root's manifest alone.
    if (to === from || target === "package.json") return null;
    if (specifier.startsWith(".")) return `reaches into ${to} by path`;
    return (floors[to] ?? Number.POSITIVE_INFINITY) < (floors[from] ?? 0)
      ? null
      : `imports ${specifier}, which is not below it`;
  });
  return [...homeless, ...upward];
}

/** Imports of modules that the package's own manifest does not name. */
export const findUndeclaredImports = (sources: readonly Source[], manifests: Manifests): string[] =>
  each(sources, (source, { specifier }) => {
    const name = moduleOf(specifier);
    if (specifier.startsWith(".") || name.startsWith("node:") || name === "bun" || name.startsWith("bun:")) return null;
    return manifests.get(packageOf(source.path))?.dependencies.has(name)
      ? null
      : `imports ${name}, which its package.json does not name`;
  });

/** Imports of modules that are reserved for other places. */
export const findReservedImports = (sources: readonly Source[]): string[] =>
  each(sources, (source, { specifier, isType, names }) => {
    const places = reserved[moduleOf(specifier)];
    if (places === undefined || isIn(source.path, places)) return null;
    // The contract checks addresses, and its router type is tRPC's.
    const isContract = packageOf(source.path) === "packages/contract";
    if (isContract && specifier === "viem" && names === "{ getAddress }") return null;
    if (isContract && moduleOf(specifier) === "@trpc/server" && isType) return null;
    return `imports ${specifier}, which is reserved for ${places.join(" ")}`;
  });

/** Files that read the environment elsewhere than in the runtime. */
export const findEnvironmentReaders = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path, text }) => !isIn(path, environmentPlaces) && /\b(process|Bun|import\.meta)\.env\b/.test(text))
    .map(({ path }) => `${path}: reads the environment`);

/** Files outside the queue's folder that name its tables or functions: these are the pinned version's of graphile-worker. */
export const findQueueTableUsers = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path, text }) => !isIn(path, ["packages/db/src/queue/"]) && /\bgraphile_worker\b|_private_/.test(text))
    .map(({ path }) => `${path}: names the queue's own tables`);

/**
 * Files of the domain that begin a transaction outside `ctx.commit` and `ctx.prepare`, and so miss the work of each
 * commit.
 */
export const findOwnTransactions = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path, text }) => isIn(path, ["packages/domain/"]) && /\.transaction\(/.test(text))
    .filter(({ path }) => path !== "packages/domain/src/core/context.ts")
    .map(({ path }) => `${path}: begins a transaction of its own`);

/** Queries that insert a whole list, whose length the driver's limit of parameters may not allow: `inParts` is for that. */
export const findWholeInserts = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path, text }) => isIn(path, ["packages/db/"]) && /\.values\(\[\.\.\./.test(text))
    .map(({ path }) => `${path}: inserts a list of any length at once`);

/** Handlers of rejections that do nothing and give no reason in a comment. */
const silentCatch = /\.catch\(\s*(?:async\s*)?\(?[^()]*\)?\s*=>\s*(?:\{\s*\}|undefined|void 0)\s*,?\s*\)/g;

/** Failures that are dropped without a log line or a reason; the linter finds the empty `catch` blocks. */
export const findSilentCatches = (sources: readonly Source[]): string[] =>
  sources.flatMap(({ path, text }) =>
    [...text.matchAll(silentCatch)].map(
      ({ index }) => `${path}:${text.slice(0, index).split("\n").length}: drops a failure without a reason`,
    ),
  );

/** Circles of files that import each other, type imports included. */
export const findCircles = (sources: readonly Source[], manifests: Manifests): string[] =>
  listCircles(listEdges(sources, manifests, (path) => path));

/** Circles of folders of one package whose files import each other, type imports included. A file of no folder counts as one. */
export const findFolderCircles = (sources: readonly Source[], manifests: Manifests): string[] =>
  listCircles(listEdges(sources, manifests, folderOf));

/** The subjects of the domain, each of which imports those before it alone. */
const subjects = [
  "core",
  "operators",
  "chain",
  "partners",
  "users",
  "accounts",
  "cards",
  "spending",
  "treasury",
  "books",
  "verification",
  "sync",
  "operations",
] as const;

const domain = "packages/domain/src/";
const subjectOf = (path: string): number =>
  path.startsWith(domain) ? subjects.findIndex((subject) => path.startsWith(`${domain}${subject}/`)) : subjects.length;

/** Files of the domain that are in no subject, and imports of a later subject. */
export const findSubjectFaults = (sources: readonly Source[], manifests: Manifests): string[] => {
  const folders = foldersByName(manifests);
  const ofDomain = sources.filter(({ path }) => path.startsWith(domain));
  const loose = ofDomain.filter(({ path }) => subjectOf(path) === -1).map(({ path }) => `${path}: is in no subject`);
  const upward = each(ofDomain, (source, { specifier }) => {
    const target = resolveOwn(source, specifier, folders);
    if (target === null || !target.startsWith(domain) || subjectOf(target) <= subjectOf(source.path)) return null;
    return `imports ${specifier} of a later subject`;
  });
  return [...loose, ...upward];
};

/** Circles of the nouns within the domain's subjects. */
export const findNounCircles = (sources: readonly Source[], manifests: Manifests): string[] =>
  listCircles(
    listEdges(
      sources.filter(({ path }) => path.startsWith(domain)),
      manifests,
      (path) => path.split("/").slice(0, 5).join("/"),
    ),
  );

/** `packages/domain/src/delays` of `packages/domain/src/accounts/delays/failDelay.ts`. */
const folderOf = (path: string): string => path.split("/").slice(0, 4).join("/");

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

function listEdges(sources: readonly Source[], manifests: Manifests, nodeOf: (path: string) => string): Edges {
  const folders = foldersByName(manifests);
  const edges = new Map<string, Set<string>>();
  for (const source of sources) {
    const from = nodeOf(source.path);
    const targets = edges.get(from) ?? new Set();
    edges.set(from, targets);
    for (const { specifier } of listImports(source)) {
      const target = resolveOwn(source, specifier, folders);
      if (target !== null && nodeOf(target) !== from) targets.add(nodeOf(target));
    }
  }
  return edges;
}

/** Each circle once, as its path. */
function listCircles(edges: Edges): string[] {
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): string[] => {
    if (trail.includes(node)) return [[...trail.slice(trail.indexOf(node)), node].join(" -> ")];
    if (done.has(node)) return [];
    const found = [...(edges.get(node) ?? [])].flatMap((target) => visit(target, [...trail, node]));
    done.add(node);
    return found;
  };
  return [...edges.keys()].flatMap((node) => visit(node, []));
}
