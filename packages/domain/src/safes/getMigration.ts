import { fail } from "@cardkeep/contract/errors";
import { findDeployedSafe, findResetSafe } from "@cardkeep/db/queries/safes";
import type { UserContext } from "../context.ts";

/**
 * Which Safe the user had before and which one now.
 *
 * A user has one migration, named after the user. It has no status: nothing is moved by itself.
 *
 * @throws safes.unknown_migration
 */
export async function getMigration(ctx: UserContext, input: { migrationId?: string | undefined }) {
  const { userId } = ctx.actor;
  if (input.migrationId !== undefined && input.migrationId !== userId) fail("safes.unknown_migration");
  const chainId = String(ctx.rules.chainId);
  const [old, current] = await Promise.all([findResetSafe(ctx.db, userId), findDeployedSafe(ctx.db, userId)]);
  return {
    migrationId: userId,
    hasOldSafe: old !== null,
    ...(current && {
      newSafe: {
        address: current.address,
        chainId,
        ...(current.tokenSymbol && { tokenSymbol: current.tokenSymbol }),
      },
    }),
    ...(old && { oldSafe: { address: old.address, chainId, recordedAt: old.updatedAt } }),
  };
}
