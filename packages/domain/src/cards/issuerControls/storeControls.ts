/** Controls of a card that is being made, as its row keeps them. */
import type { StoredIssuerControls } from "@cardkeep/db/schema/cards/cards";
import type { WantedControls } from "./readIssuerControls.ts";

export const storeControls = ({ controls, digest }: WantedControls): StoredIssuerControls => ({
  digest,
  isClosed: controls.isClosed,
  blockedMccs: [...controls.blockedMccs],
  countries: controls.countries && { list: controls.countries.list, codes: [...controls.countries.codes] },
  blockedPresences: [...controls.blockedPresences],
  limits: controls.limits.map(({ window, cents }) => ({ window, cents: cents.toString() })),
});

export const readStoredControls = ({ digest, limits, ...rest }: StoredIssuerControls): WantedControls => ({
  digest,
  controls: { ...rest, limits: limits.map(({ window, cents }) => ({ window, cents: BigInt(cents) })) },
});
