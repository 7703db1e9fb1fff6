/** The people that the sandbox's OpenID provider knows. */
import {
  deleteIdentityAccount,
  findIdentityRecord,
  insertIdentityRecords,
  listIdentityRecords,
  putIdentityRecord,
} from "@cardkeep/db/sandbox/identityRecords";
import { operatorRoles as roles } from "@cardkeep/domain/core/actor";
import { z } from "zod";
import { SandboxError } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const kind = "Operator";
/** What keeps a person signed in at the provider. */
const signedInKinds = ["Session", "Grant", "AccessToken", "RefreshToken", "AuthorizationCode", "DeviceCode"];

const operatorData = z.object({
  name: z.string(),
  mail: z.string(),
  groups: z.array(z.string()),
  isDisabled: z.boolean(),
});

export interface SandboxOperator extends z.output<typeof operatorData> {
  /** The provider's subject. */
  readonly id: string;
}

const names = { viewer: "Vera", support: "Sam", compliance: "Cora", finance: "Fin", admin: "Ada" } as const;

const capitalize = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

/** The group that gives a role, as the settings of a local machine say. */
export const groupOf = (role: (typeof roles)[number]): string => `operators-${role}`;

/** The client of a program with a role, and the secret of all of them. */
export const programOf = (role: (typeof roles)[number]): string => `program-${role}`;
export const programSecret = "sandbox-program-secret";

/** One person for each role. */
const seeds = roles.map((role) => ({
  kind,
  id: `${names[role].toLowerCase()}-${role}`,
  data: {
    name: `${names[role]} ${capitalize(role)}`,
    mail: `${names[role].toLowerCase()}@operators.example`,
    groups: [groupOf(role)],
    isDisabled: false,
  },
}));

/** Everybody, in the order of the roles. */
export async function listOperators({ store }: SandboxRuntime): Promise<SandboxOperator[]> {
  await insertIdentityRecords(store, seeds);
  const rows = await listIdentityRecords(store, kind);
  const place = (id: string): number => seeds.findIndex((seed) => seed.id === id);
  return rows
    .map(({ id, data }) => ({ id, ...operatorData.parse(data) }))
    .toSorted((a, b) => place(a.id) - place(b.id));
}

/** A person by the provider's id; null if unknown. */
export async function findOperator({ store }: SandboxRuntime, id: string): Promise<SandboxOperator | null> {
  const row = await findIdentityRecord(store, kind, { id });
  return row && { id, ...operatorData.parse(row.data) };
}

/** Changes a person. @throws SandboxError 404 */
export async function changeOperator(
  runtime: SandboxRuntime,
  id: string,
  change: Partial<Omit<SandboxOperator, "id">>,
): Promise<SandboxOperator> {
  await listOperators(runtime);
  const known = await findOperator(runtime, id);
  if (known === null) throw new SandboxError(404, "There is no such operator");
  const changed = { ...known, ...change };
  const { id: _, ...data } = changed;
  await putIdentityRecord(runtime.store, { kind, id, data });
  return changed;
}

/** Forgets that a person is signed in, here alone: the service is not informed. */
export const forgetSessions = ({ store }: SandboxRuntime, id: string): Promise<void> =>
  deleteIdentityAccount(store, signedInKinds, id);
