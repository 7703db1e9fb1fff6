/** What a process has for every request and job: ports, policy, and in a worker keys. */
import type { EnsReader } from "@cardkeep/chain/ens";
import type { ChainReader } from "@cardkeep/chain/port";
import type { RelayerKey, SpenderKey } from "@cardkeep/chain/relayer";
import type { Signer } from "@cardkeep/chain/signer";
import type { Snapshots } from "@cardkeep/chain/snapshots";
import type { Db, Reads } from "@cardkeep/db/client";
import type { Lists } from "@cardkeep/db/lists";
import type { EmoneyProvider } from "@cardkeep/providers/emoney/port";
import type { CardIssuer } from "@cardkeep/providers/issuer/port";
import type { KycProvider } from "@cardkeep/providers/kyc/port";
import type { Mailer } from "@cardkeep/providers/mail/port";
import type { OpenidProvider } from "@cardkeep/providers/openid/port";
import type { SmsSender } from "@cardkeep/providers/sms/port";
import type { WebhookSender } from "@cardkeep/providers/webhooks/send";
import type { WebhookKeys } from "@cardkeep/providers/webhooks/sign";
import type { KeyObject } from "node:crypto";
import type { AccessTokens } from "./accessTokens/accessTokens.ts";
import type { SharedRules } from "./cardRules/sharedRules.ts";
import type { Languages } from "./languages/languages.ts";
import type { Clock, Log, SignerWatch, Stretch } from "./ports.ts";
import type { RateLimits } from "./limits/rateLimits.ts";
import type { Policy } from "./policy.ts";
import type { Secrets } from "./secrets/secrets.ts";
import type { Waits } from "./waits.ts";

export interface Services {
  readonly db: Db;
  readonly reads: Reads;
  readonly lists: Lists;
  /** Whether a pooler is between this process and the database. */
  readonly isPooled: boolean;
  readonly clock: Clock;
  readonly chain: ChainReader;
  /** The same chain with the patience of a worker, for what neither a user nor a decision waits for. */
  readonly patientChain: ChainReader;
  /** Null where no node of the chain that holds ENS is configured. */
  readonly ens: EnsReader | null;
  /** Null: operators sign in with the shared key alone. */
  readonly openid: OpenidProvider | null;
  readonly kyc: KycProvider;
  readonly emoney: EmoneyProvider;
  readonly issuer: CardIssuer;
  /** Of mails, messages and pages. */
  readonly languages: Languages;
  readonly mailer: Mailer;
  readonly sms: SmsSender;
  readonly webhookSender: WebhookSender;
  readonly webhookKeys: WebhookKeys;
  readonly accessTokens: AccessTokens;
  readonly secrets: Secrets;
  /** Has a line for each erasure, at every log level: a restored database does not know of it. */
  readonly erasureLog: Log;
  readonly rateLimits: RateLimits;
  readonly waits: Waits;
  /** The back-tests of partners: one of each partner, and one question to the database at a time. */
  readonly backtests: Waits;
  /** The requests with large bodies: each keeps its body in memory until its end. */
  readonly largeBodies: Waits;
  readonly snapshots: Snapshots;
  readonly sharedRules: SharedRules;
  /** Adds a stretch to its request's trace; null where tracing is off. */
  readonly trace: ((stretch: Stretch) => void) | null;
  readonly policy: Policy;
}

/**
 * What only the worker holds: the keys that pay, the key that sets Safes up, the one that moves card money, and those
 * that clients encrypt for.
 */
export interface WorkerKeys {
  readonly relayers: readonly RelayerKey[];
  readonly operator: Signer;
  readonly spender: SpenderKey;
  /** Set up the Safes that were opened before a rotation, and no others. */
  readonly formerOperators: readonly Signer[];
  /** Move card money from the Safes that were set up for them. */
  readonly formerSpenders: readonly SpenderKey[];
  /** Fills the others up with native tokens; null where top-ups are off. */
  readonly topUpKey: RelayerKey | null;
  /** Sign for the settlement account and the treasury; null where no setting names their keys. */
  readonly settlementKey: RelayerKey | null;
  readonly treasuryKey: RelayerKey | null;
  /** Open card numbers and PINs that clients encrypted; the public half of the first is published. */
  readonly cardKeys: readonly KeyObject[];
  /** One for each key of the chain that is at a remote signer. */
  readonly signerWatches: readonly SignerWatch[];
}
