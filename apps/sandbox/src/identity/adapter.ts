/** Where the OpenID provider keeps what it knows: in the store, so that people stay signed in when the sandbox restarts. */
import {
  consumeIdentityRecord,
  deleteIdentityGrant,
  deleteIdentityRecord,
  findIdentityRecord,
  type IdentityRecord,
  putIdentityRecord,
} from "@cardkeep/db/sandbox/identityRecords";
import type { Adapter, AdapterPayload } from "oidc-provider";
import type { SandboxRuntime } from "../core/openStore.ts";

/** The library's storage of one kind of its records. */
export function createAdapter({ store }: SandboxRuntime, kind: string): Adapter {
  const read = (record: IdentityRecord | null): AdapterPayload | undefined =>
    record === null || (record.expiresAt !== null && record.expiresAt.getTime() < Date.now()) ? undefined : record.data;
  return {
    upsert: async (id, data, expiresIn) => {
      const { grantId = null, uid = null, userCode = null } = data;
      const expiresAt =
        expiresIn !== undefined && Number.isFinite(expiresIn) ? new Date(Date.now() + expiresIn * 1000) : null;
      await putIdentityRecord(store, { kind, id, data: { ...data }, grantId, uid, userCode, expiresAt });
    },
    find: async (id) => read(await findIdentityRecord(store, kind, { id })),
    findByUid: async (uid) => read(await findIdentityRecord(store, kind, { uid })),
    findByUserCode: async (userCode) => read(await findIdentityRecord(store, kind, { userCode })),
    consume: (id) => consumeIdentityRecord(store, kind, id, Math.floor(Date.now() / 1000)),
    destroy: (id) => deleteIdentityRecord(store, kind, id),
    revokeByGrantId: (grantId) => deleteIdentityGrant(store, grantId),
  };
}
