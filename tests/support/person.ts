/** A person with a wallet who uses only the service's public API. */
import type { AppRouter } from "@cardkeep/contract/routes";
import { createTRPCClient, httpLink } from "@trpc/client";
import type { Hex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { retry, until } from "./poll.ts";
import type { RunningService } from "./service.ts";

export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads any answer of the service
  body: any;
  headers: Headers;
}

/** Fields of a valid sign-in message, unless a test overrides them. */
export type SignInFields = Partial<Parameters<typeof createSiweMessage>[0]>;

/** A transaction takes longer than the pauses that a wait begins with, and each look costs a request. */
const deployedEveryMs = 100;

/** Where a person is; with the runtime where the test runs the service itself. */
type PersonService = Pick<RunningService, "url" | "sandboxUrl"> & { readonly runtime?: RunningService["runtime"] };

export class Person {
  readonly account: PrivateKeyAccount;
  readonly privateKey: Hex;
  readonly service: PersonService;
  token: string | null = null;
  userId: string | null = null;

  constructor(service: PersonService, privateKey: Hex = generatePrivateKey()) {
    this.service = service;
    this.privateKey = privateKey;
    this.account = privateKeyToAccount(privateKey);
  }

  /** One REST call below `/api/v1`, with the person's token. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.service.url}/api/v1${path}`, {
      method,
      headers: {
        ...(this.token !== null && { Authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  }

  /** A call as a client makes it: again with the same key where the answer is 503, since a busy machine's node may answer late. */
  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    return retry(
      () => this.call(method, path, body, headers),
      ({ status }) => status !== 503,
      5,
    );
  }

  /** One sandbox call. */
  async sandbox(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.service.sandboxUrl}${path}`, {
      method,
      ...(body !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text), headers: response.headers };
  }

  /** The typed tRPC client, with the person's token. */
  trpc() {
    return createTRPCClient<AppRouter>({
      links: [
        httpLink({
          url: `${this.service.url}/trpc`,
          headers: () => (this.token === null ? {} : { Authorization: `Bearer ${this.token}` }),
        }),
      ],
    });
  }

  /** A sign-in message with a fresh nonce, and its signature. */
  async signMessage(fields: SignInFields = {}): Promise<{ message: string; signature: Hex }> {
    const nonce = fields.nonce ?? (await this.call("GET", "/auth/nonce")).body;
    const message = createSiweMessage({
      address: this.account.address,
      chainId: 100,
      domain: "localhost:5173",
      uri: "http://localhost:5173",
      version: "1",
      issuedAt: new Date(),
      nonce,
      ...fields,
    });
    return { message, signature: await this.account.signMessage({ message }) };
  }

  async signIn(): Promise<this> {
    const { body } = await this.call("POST", "/auth/challenge", await this.signMessage());
    this.token = body.token;
    return this;
  }

  async signUp(fields: Record<string, unknown> = {}): Promise<this> {
    const authEmail = `${this.account.address.slice(2, 14).toLowerCase()}@example.org`;
    const { body } = await this.call("POST", "/auth/signup", { authEmail, ...fields });
    this.token = body.token;
    this.userId = body.id;
    return this;
  }

  /** Accepts every document in its current version. */
  async acceptTerms(): Promise<this> {
    const { body } = await this.call("GET", "/user/terms");
    for (const { type, currentVersion } of body.terms as { type: string; currentVersion: string }[])
      await this.call("POST", "/user/terms", { terms: type, version: currentVersion });
    return this;
  }

  /** Signed in, signed up and approved. */
  async becomeApproved(applicant: Record<string, string> = {}): Promise<this> {
    await (await this.signIn()).signUp();
    // The provider's own people have different names.
    const named = { firstName: "Ada", lastName: "Lovelace", ...applicant };
    await this.sandbox("POST", `/kyc/${this.userId}/review`, { outcome: "approved", applicant: named });
    return this;
  }

  /** Approved, with a Safe in service; returns its address. */
  async becomeAccountHolder(applicant: Record<string, string> = {}): Promise<Hex> {
    await this.becomeApproved(applicant);
    await this.call("POST", "/safe/deploy");
    await until(async () => (await this.call("GET", "/safe/deploy")).body.status === "ok", {
      everyMs: deployedEveryMs,
    });
    return (await this.call("GET", "/safe/config")).body.address;
  }

  /** Approved, with a Safe of the older way that has a currency and no set-up yet; returns its address. */
  async becomeSafeOwner(applicant: Record<string, string> = {}): Promise<Hex> {
    await this.becomeApproved(applicant);
    const { body } = await this.call("POST", "/account", { chainId: "100" });
    await this.call("POST", "/safe/set-currency");
    return body.address;
  }

  /** This person's signature of the older way's set-up. */
  async signSetUp(): Promise<Hex> {
    const { body } = await this.call("GET", "/account/signature-payload");
    return this.account.signTypedData(body);
  }

  /** The signature fields of a delayed operation: the typed data of `path`, signed by this person. */
  async signDelay(path: string) {
    const { status, body } = await this.ask("GET", path);
    if (status !== 200) throw new Error(`${path} answers ${status}: ${JSON.stringify(body)}`);
    const signature = await this.account.signTypedData(body.data);
    return { signature, message: body.data.message as { salt: Hex; data: Hex } };
  }

  /** The body of a withdrawal that this person signed. */
  async signWithdrawal(transfer: { tokenAddress: string; to: string; amount: string }) {
    return {
      ...transfer,
      ...(await this.signDelay(`/accounts/withdraw/transaction-data?${new URLSearchParams(transfer)}`)),
    };
  }

  /** The body of a new owner that this person signed. */
  async signNewOwner(newOwner: string) {
    return { newOwner, ...(await this.signDelay(`/owners/add/transaction-data?newOwner=${newOwner}`)) };
  }

  /** The body of an owner's removal that this person signed. */
  async signRemoval(ownerToRemove: string) {
    const path = `/owners/remove/transaction-data?ownerToRemove=${ownerToRemove}`;
    return { ownerToRemove, ...(await this.signDelay(path)) };
  }

  /** The body of a daily limit that this person signed. */
  async signLimit(newLimit: number) {
    return { newLimit, ...(await this.signDelay(`/accounts/daily-limit/transaction-data?newLimit=${newLimit}`)) };
  }

  /** The person's delayed operation with this id, from the list. */
  async findDelay(id: string) {
    const { body } = await this.call("GET", "/delay-relay");
    return (body as { id: string; status: string; readyAt?: string }[]).find((item) => item.id === id) ?? null;
  }
}
