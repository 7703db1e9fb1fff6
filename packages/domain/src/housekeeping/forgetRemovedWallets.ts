import { forgetRemovedSignInWallets } from "@cardkeep/db/queries/users";
import { removalsKeptMs } from "../accessTokens/removedWallets.ts";
import type { Services } from "../services.ts";

/** Forgets removed sign-in wallets once no access token of theirs can be valid. */
export const forgetRemovedWallets = ({ db }: Pick<Services, "db">): Promise<void> =>
  // Access tokens end by the wall clock.
  forgetRemovedSignInWallets(db, new Date(Date.now() - removalsKeptMs));
