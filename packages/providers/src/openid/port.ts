/** An OpenID provider: says who an operator is (OpenID Connect Core 1.0). */

/** A person, as the provider names them. */
export interface Identity {
  readonly issuer: string;
  /** The provider's id of the person, which never goes to another person. */
  readonly subject: string;
  /** To show; the provider's id where it names no other. */
  readonly name: string;
  /** Null unless the provider verified it. */
  readonly mail: string | null;
  readonly groups: readonly string[];
  /** The provider's id of its own session; null where it names none. */
  readonly providerSession: string | null;
}

export interface OpenidGrant {
  readonly identity: Identity;
  /** Null where the provider gives none. */
  readonly refreshToken: string | null;
}

/** A program, and the end of what it showed. */
export interface ProgramGrant {
  readonly identity: Identity;
  readonly expiresInSeconds: number;
}

/** What a browser brings back, and what its sign-in began with. */
export interface CodeExchange {
  /** The full address to which the provider sent the browser. */
  readonly callbackUrl: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A sign-in on a device without a browser (RFC 8628). */
export interface DeviceSignIn {
  readonly userCode: string;
  /** Where the person types the code. */
  readonly address: string;
  /** The same with the code in it; null where the provider has none. */
  readonly completeAddress: string | null;
  readonly expiresInSeconds: number;
  /** What `askDevice` asks with, and how often it may. */
  readonly deviceCode: string;
  readonly intervalSeconds: number;
  /**
   * Resolves once the person agreed.
   * @throws SignInRejected, ProviderUnavailable
   */
  finish(stopping?: AbortSignal): Promise<OpenidGrant>;
}

/** Whose sessions the provider ends (OpenID Connect Back-Channel Logout 1.0). One of both is not null. */
export interface LogoutClaims {
  readonly subject: string | null;
  readonly providerSession: string | null;
}

export interface OpenidProvider {
  readonly issuer: string;
  /** Asks the provider for its configuration. @throws SignInRejected, ProviderUnavailable */
  check(): Promise<void>;
  /** The provider's page for a browser, with code flow and PKCE S256. @throws SignInRejected, ProviderUnavailable */
  buildSignInUrl(input: { redirectUri: string; state: string; nonce: string; verifier: string }): Promise<string>;
  /** @throws SignInRejected, ProviderUnavailable */
  exchangeCode(input: CodeExchange): Promise<OpenidGrant>;
  /** Asks again who the person is. @throws SignInRejected if the provider no longer knows the person; ProviderUnavailable */
  refresh(input: { refreshToken: string; subject: string }): Promise<OpenidGrant>;
  /** @throws SignInRejected, ProviderUnavailable */
  startDevice(): Promise<DeviceSignIn>;
  /** Asks once whether the person agreed; null before that. @throws SignInRejected, ProviderUnavailable */
  askDevice(deviceCode: string): Promise<OpenidGrant | null>;
  /** Who an access token of a program (RFC 9068) stands for. @throws SignInRejected for one that is not for this audience; ProviderUnavailable */
  readAccessToken(token: string, audience: string): Promise<ProgramGrant>;
  /** @throws SignInRejected for a token that is not this provider's or not for us; ProviderUnavailable */
  readLogoutToken(token: string): Promise<LogoutClaims>;
}

/**
 * Why an answer was refused.
 *
 * - denied: the provider or the person refused. - expired: code or refresh token is used, too old or unknown.
 * - invalid: the answer does not prove who the person is. - misconfigured: the provider refuses this client.
 */
export type RejectionKind = "denied" | "expired" | "invalid" | "misconfigured";

/** The provider's answer proves no identity. The message has no token and no personal data. */
export class SignInRejected extends Error {
  override readonly name = "SignInRejected";
  readonly kind: RejectionKind;

  constructor(kind: RejectionKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
