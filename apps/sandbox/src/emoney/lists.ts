/** Lists of the institution: a person's own records, or the records that an app created. */
import { listEmoneyRecords } from "@cardkeep/db/sandbox/emoneyRecords";
import { z } from "zod";
import type { Caller } from "./auth.ts";
import { readOrder, showOrder } from "./orderBook.ts";
import { findProfile, listIbans, listProfiles, type Profile } from "./state.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const address = z.object({ address: z.string(), chain: z.string() });
const memo = z.string().nullish();
const hashes = z.object({ txHashes: z.array(z.string()).default([]) }).default({ txHashes: [] });

/** The profiles that a caller may use: all, or the one that is asked for. */
export async function listUsable(
  runtime: SandboxRuntime,
  caller: Caller,
  wanted: string | null = null,
): Promise<Profile[]> {
  const id = caller.profile ?? wanted?.toLowerCase() ?? null;
  const one = id === null ? null : await findProfile(runtime, id);
  const all = id === null ? await listProfiles(runtime) : one === null ? [] : [one];
  return all.filter(({ own }) => caller.profile !== null || !own);
}

/** A profile as the API shows it. */
export const showProfile = ({ id, name, holder, state, kind }: Profile) => ({
  id,
  kind,
  name: name === "" ? (holder ?? "") : name,
  state,
});

const matches = (wanted: string | null, value: string): boolean =>
  wanted === null || wanted.toLowerCase() === value.toLowerCase();

/** Answers `GET` of a list, or of one item. Undefined for another path, null for an unknown item. */
export async function answerList(
  runtime: SandboxRuntime,
  caller: Caller,
  path: string,
  query: URLSearchParams,
): Promise<object | null | undefined> {
  const [, name = "", id] = /^\/(profiles|addresses|ibans|orders)(?:\/([^/]+))?$/.exec(path) ?? [];
  const read = readers[name];
  if (!read) return undefined;
  const wanted = query.get("profile");
  const usable = (await listUsable(runtime, caller, wanted)).filter((profile) => matches(wanted, profile.id));
  const items = (await Promise.all(usable.map((profile) => read(runtime, profile, query)))).flat();
  if (id === undefined) return { [name]: items.map(({ shown }) => shown) };
  return items.find((item) => matches(id, item.id))?.shown ?? null;
}

type Read = (
  runtime: SandboxRuntime,
  profile: Profile,
  query: URLSearchParams,
) => Promise<{ id: string; shown: object }[]>;

const readers: Readonly<Record<string, Read>> = {
  profiles: async (_runtime, profile, query) =>
    matches(query.get("state"), profile.state) && matches(query.get("kind"), profile.kind)
      ? [{ id: profile.id, shown: showProfile(profile) }]
      : [],
  addresses: async (runtime, { id: profile }, query) => {
    const links = (await listEmoneyRecords(runtime.store, "address", profile)).map(({ data }) => address.parse(data));
    const wanted = links.filter(({ chain }) => matches(query.get("chain"), chain));
    return [...Map.groupBy(wanted, (link) => link.address)].map(([account, linked]) => ({
      id: account,
      shown: { profile, address: account, chains: linked.map(({ chain }) => chain) },
    }));
  },
  ibans: async (runtime, { id: profile }, query) =>
    (await listIbans(runtime, profile))
      .filter(({ chain }) => matches(query.get("chain"), chain))
      .map((shown) => ({ id: shown.iban, shown })),
  orders: async (runtime, { id: profile }, query) =>
    (await listEmoneyRecords(runtime.store, "order", profile))
      .map(({ data }) => showOrder(readOrder(data)))
      .filter(
        ({ address: account, state, meta, ...rest }) =>
          matches(query.get("address"), account) &&
          matches(query.get("state"), state) &&
          matches(query.get("memo"), memo.parse(rest["memo"]) ?? "") &&
          (query.get("txHash") === null || hashes.parse(meta).txHashes.includes(query.get("txHash") ?? "")),
      )
      .map((shown) => ({ id: shown.id, shown })),
};
