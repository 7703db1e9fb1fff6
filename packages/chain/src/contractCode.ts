/** The known code of the contracts that every account shares. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { deployments } from "./deployments.ts";

export type DeploymentName = keyof typeof deployments;

/** The code at an address: its keccak-256 and its length. */
export interface ContractCode {
  hash: Hex;
  bytes: number;
}

/** Hashes that an operator accepts in addition to the canonical ones, for contracts of their own. */
export type AcceptedCode = Readonly<Partial<Record<DeploymentName, Hex>>>;

/** If only the first bytes of a hash were published, the length has to match too. */
interface CanonicalCode {
  hash: Hex;
  bytes?: number;
}

/**
 * The canonical code. The addresses of the contracts marked CREATE2 commit to their creation code, so their hashes
 * follow from that code alone; a test computes them again.
 */
const canonicalCode: Readonly<Record<DeploymentName, CanonicalCode>> = {
  // CREATE2 of @gnosis.pm/safe-contracts 1.3.0; safe-deployments v1.3.0, `codeHash`.
  safeMastercopy: { hash: "0xbba688fbdb21ad2bb58bc320638b43d94e7d100f6f3ebaab0a4e4de6304b1c2e" },
  // CREATE2 of @gnosis.pm/safe-contracts 1.3.0; safe-deployments v1.3.0, `codeHash`.
  safeProxyFactory: { hash: "0x337d7f54be11b6ed55fef7b667ea5488db53db8320a05d1146aa4bd169a39a9b" },
  // CREATE2 of @gnosis.pm/safe-contracts 1.3.0; safe-deployments v1.3.0, `codeHash`.
  fallbackHandler: { hash: "0x03e69f7ce809e81687c69b19a7d7cca45b6d551ffdec73d9bb87178476de1abf" },
  // CREATE2 of @gnosis.pm/safe-contracts 1.3.0; safe-deployments v1.3.0, `codeHash`.
  multiSend: { hash: "0x0208282bd262360d0320862c5ac70f375f5ed3b9d89a83a615b4d398415bdc83" },
  // safe-deployments v1.3.0, `codeHash`. The artifact in @gnosis.pm/safe-contracts 1.3.0 is another build.
  signMessageLib: { hash: "0x3ac65dea3cc9dd0d7b7b800f834e3d73415b4e944bb94555c3e4a08fb137e918" },
  // The presigned transaction in @safe-global/safe-singleton-factory 1.0.16.
  singletonFactory: { hash: "0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989" },
  // The presigned transaction published for Multicall3 (multicall3.com): 3,808 bytes.
  multicall: { hash: "0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891" },
  // CREATE2 of @gnosis.pm/zodiac 3.5.2, `initData/ModuleProxyFactory`.
  moduleProxyFactory: { hash: "0x01623cbcf010a1c326230f1b2d5f48a66b440232ee49096102bc84967dc5f21e" },
  // The code on Gnosis Chain; no package holds it, and only these bytes of its hash are known.
  delayMastercopy: { hash: "0xc9aa4bfd4e", bytes: 17_331 },
  // The code on Gnosis Chain; no package holds it, and only these bytes of its hash are known.
  rolesMastercopy: { hash: "0x3021a35073", bytes: 24_412 },
};

/** The shared contracts. */
export const listDeployments = (): { name: DeploymentName; address: Address }[] =>
  Object.entries(deployments).flatMap(([name, address]) => (isDeploymentName(name) ? [{ name, address }] : []));

const isDeploymentName = (name: string): name is DeploymentName => Object.hasOwn(deployments, name);

/** Whether code is the canonical one of a shared contract, or one that the operator accepts. */
export function isExpectedCode(name: DeploymentName, { hash, bytes }: ContractCode, accepted: AcceptedCode): boolean {
  const canonical = canonicalCode[name];
  if (hash === accepted[name]) return true;
  return hash.startsWith(canonical.hash) && (canonical.bytes ?? bytes) === bytes;
}

/**
 * Reads `delayMastercopy=0x…,rolesMastercopy=0x…`, names of shared contracts and whole hashes; null for any other
 * text.
 */
export function parseAcceptedCode(text: string): AcceptedCode | null {
  const accepted: Partial<Record<DeploymentName, Hex>> = {};
  for (const item of text.split(",")) {
    const [, name = "", digits = ""] = /^\s*(\w+)=0x([0-9a-fA-F]{64})\s*$/.exec(item) ?? [];
    if (!isDeploymentName(name) || accepted[name] !== undefined) return null;
    accepted[name] = `0x${digits.toLowerCase()}`;
  }
  return accepted;
}
