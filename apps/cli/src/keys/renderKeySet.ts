import { environment } from "@cardkeep/runtime/environment";
import { wrap } from "../print.ts";
import type { KeySet } from "./generateKeys.ts";

const widthMax = 110;

/** What the operator does next, as text. No secret is in it. */
export function renderKeySet({ folder, addresses, blanks }: KeySet): string {
  const funding =
    addresses === null
      ? ["The keys of the chain are at signers. Fund the addresses of relayers and spender with native tokens."]
      : [
          ...addresses.relayers.map(
            (address) => `relayer   ${address}  pays for chain transactions: send native tokens`,
          ),
          `operator  ${addresses.operator}  sets Safes up: needs no funds`,
          `spender   ${addresses.spender}  moves card money: send native tokens, and let the settlement account approve it`,
        ];
  const lines = blanks.flatMap(({ name, files }) => [
    `${name} in ${files.join(" and ")}`,
    ...wrap(environment.shape[name].description ?? "", widthMax).map((line) => `  ${line}`),
  ]);
  return [
    `Wrote ${folder}: the secrets, for their owner alone, and the settings of each process.`,
    "",
    ...funding,
    "",
    "Fill in",
    ...lines,
    "",
    "Give the identity provider the secret in KYC_CALLBACK_SECRET, on its page for webhooks.",
    'The next steps are under "Run in production" in apps/cli/README.md.',
    "",
  ].join("\n");
}
