/** Who asks for something. */
import type { Address } from "@cardkeep/contract/primitives";

/** A signed-in wallet, which may belong to no user yet. */
export interface WalletActor {
  readonly signerAddress: Address;
  readonly userId: string | null;
}

/** A signed-in wallet of a user. */
export interface UserActor {
  readonly signerAddress: Address;
  readonly userId: string;
}

/** The operator of the service, and the way in that the operator took. */
export interface OperatorActor {
  readonly kind: "operator";
  /** `sandbox` exists outside production alone. */
  readonly via: "cli" | "page" | "sandbox";
}
