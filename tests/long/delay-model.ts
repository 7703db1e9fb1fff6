/** The Delay's behaviour in TypeScript, written from the rules, not from the contract. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { encodePacked, keccak256 } from "viem";

export interface Payload {
  to: Address;
  value: bigint;
  data: Hex;
  operation: 0 | 1;
}

export interface Item extends Payload {
  hash: Hex;
  createdAt: number;
}

export interface Signed {
  signer: Address | null;
  hash: Hex;
}

/** The result of a transaction: the reason of its revert, or the Delay's logs in order, each a name and its values. */
export type Outcome = { revert: string } | { logs: [string, ...unknown[]][] };

const revert = (reason: string): Outcome => ({ revert: reason });
const done = (...logs: [string, ...unknown[]][]): Outcome => ({ logs });

/** `getTransactionHash`: packed, not padded. */
export const hashPayload = ({ to, value, data, operation }: Payload): Hex =>
  keccak256(encodePacked(["address", "uint256", "bytes", "uint8"], [to, value, data, operation]));

/** Changes only when an operation returns logs; a revert changes nothing. */
export class DelayModel {
  txNonce = 0;
  cooldown: number;
  expiration: number;
  readonly items: Item[] = [];
  /** Newest first, in the contract's order. */
  modules: Address[] = [];
  /** Native base units of the avatar. */
  balance: bigint;
  readonly #consumed = new Set<string>();
  readonly #owner: Address;

  constructor(input: { owner: Address; cooldown: number; expiration: number; balance: bigint }) {
    this.#owner = input.owner;
    this.cooldown = input.cooldown;
    this.expiration = input.expiration;
    this.balance = input.balance;
  }

  /** A module queues; or any sender, with a module's signature over `hash`. `signer` is null without a valid one. */
  enqueue(input: { now: number; sender: Address; payload: Payload; signed?: Signed }): Outcome {
    const { sender, payload, signed } = input;
    const logs: [string, ...unknown[]][] = [];
    if (!this.modules.includes(sender)) {
      if (!signed?.signer || !this.modules.includes(signed.signer)) return revert("NotAuthorized");
      const key = signed.signer + signed.hash;
      if (this.#consumed.has(key)) return revert("HashAlreadyConsumed");
      this.#consumed.add(key);
      logs.push(["HashExecuted", signed.hash]);
    }
    const hash = hashPayload(payload);
    const { to, value, data, operation } = payload;
    logs.push(["TransactionAdded", BigInt(this.items.length), hash, to, value, data, operation]);
    this.items.push({ ...payload, hash, createdAt: input.now });
    return done(...logs);
  }

  /** The avatar lets a plain call fail if it cannot pay for it; a delegate call moves nothing. */
  execute(now: number, payload: Payload): Outcome {
    const head = this.items[this.txNonce];
    if (!head) return revert("Transaction queue is empty");
    if (now - head.createdAt < this.cooldown) return revert("Transaction is still in cooldown");
    if (this.#isExpired(head, now)) return revert("Transaction expired");
    if (head.hash !== hashPayload(payload)) return revert("Transaction hashes do not match");
    if (payload.operation === 0) {
      if (payload.value > this.balance) return revert("Module transaction failed");
      this.balance -= payload.value;
    }
    this.txNonce++;
    return done();
  }

  skipExpired(now: number): Outcome {
    for (let head = this.items[this.txNonce]; head && this.#isExpired(head, now); head = this.items[this.txNonce]) {
      this.txNonce++;
    }
    return done();
  }

  setTxNonce(sender: Address, nonce: number): Outcome {
    if (sender !== this.#owner) return revert("OwnableUnauthorizedAccount");
    if (nonce <= this.txNonce) return revert("New nonce must be higher than current txNonce");
    if (nonce > this.items.length) return revert("Cannot be higher than queueNonce");
    this.txNonce = nonce;
    return done(["TxNonceSet", BigInt(nonce)]);
  }

  setCooldown(sender: Address, seconds: number): Outcome {
    if (sender !== this.#owner) return revert("OwnableUnauthorizedAccount");
    this.cooldown = seconds;
    return done(["TxCooldownSet", BigInt(seconds)]);
  }

  setExpiration(sender: Address, seconds: number): Outcome {
    if (sender !== this.#owner) return revert("OwnableUnauthorizedAccount");
    if (seconds !== 0 && seconds < 60) return revert("Expiration must be 0 or at least 60 seconds");
    this.expiration = seconds;
    return done(["TxExpirationSet", BigInt(seconds)]);
  }

  enableModule(sender: Address, module: Address): Outcome {
    if (sender !== this.#owner) return revert("OwnableUnauthorizedAccount");
    if (this.modules.includes(module)) return revert("AlreadyEnabledModule");
    this.modules.unshift(module);
    return done(["EnabledModule", module]);
  }

  /** `previous` is null for the head of the list. */
  disableModule(sender: Address, previous: Address | null, module: Address): Outcome {
    if (sender !== this.#owner) return revert("OwnableUnauthorizedAccount");
    const at = this.modules.indexOf(module);
    if (at < 0 || (this.modules[at - 1] ?? null) !== previous) return revert("AlreadyDisabledModule");
    this.modules.splice(at, 1);
    return done(["DisabledModule", module]);
  }

  /** Any sender invalidates a signature of its own, used or not. */
  invalidate(sender: Address, hash: Hex): Outcome {
    this.#consumed.add(sender + hash);
    return done(["HashInvalidated", hash]);
  }

  #isExpired({ createdAt }: Item, now: number): boolean {
    return this.expiration !== 0 && createdAt + this.cooldown + this.expiration < now;
  }
}
