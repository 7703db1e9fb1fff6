/** Who asks for something. */
import type { Address } from "@cardkeep/contract/core/primitives";
import type { TokenScope } from "@cardkeep/contract/core/scopes";
import type { OperatorProof, OperatorWay } from "@cardkeep/db/schema/operators/operators";

/** What a token of a user opens; absent for an access token, which opens everything of its user. */
export interface TokenGrant {
  readonly tokenId: string;
  readonly scopes: readonly TokenScope[];
}

/** A signed-in wallet, which may belong to no user yet. */
export interface WalletActor {
  readonly signerAddress: Address;
  readonly userId: string | null;
  /** The user's sign-in wallet whose access token acts: its rights end with it. Absent for a token for programs. */
  readonly walletId?: string;
  readonly grant?: TokenGrant;
}

/** A signed-in wallet of a user. */
export interface UserActor {
  readonly signerAddress: Address;
  readonly userId: string;
  readonly walletId?: string;
  /** Whether the request is refused once the user is deactivated. */
  readonly mustBeActive?: boolean;
}

/** Roles of operators; `verbs.ts` says what each may. */
export const operatorRoles = ["viewer", "support", "compliance", "finance", "admin"] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** A person, a machine or a key that operates the service, and the way it came in. */
export interface OperatorActor {
  readonly kind: "operator";
  /** Issuer and subject of a person, `machine:<host>/<user>`, `key` for the shared key, `sandbox` for the sandbox. */
  readonly id: string;
  /** What people read. */
  readonly name: string;
  readonly via: OperatorWay;
  readonly proof: OperatorProof;
  readonly roles: readonly OperatorRole[];
}

/** The service itself, where a request of an operator expires. */
export const serviceOperator: OperatorActor = {
  kind: "operator",
  id: "service",
  name: "Cardkeep",
  via: "worker",
  proof: "service",
  roles: ["admin"],
};

/** The operator in whose name the sandbox acts. */
export const sandboxOperator: OperatorActor = {
  kind: "operator",
  id: "sandbox",
  name: "Sandbox",
  via: "sandbox",
  proof: "sandbox",
  roles: ["admin"],
};
