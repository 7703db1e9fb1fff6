/** The operator's API of an installation elsewhere: `--server`. */
import type { Given, Noun } from "@cardkeep/desk/noun";
import type { DeskSource } from "@cardkeep/desk/source";
import type { OperatorActor } from "@cardkeep/domain/core/actor";

export interface RemoteSession {
  readonly id: string;
  readonly token: string;
  readonly name: string;
  readonly roles: readonly string[];
}

/** A sign-in of a person, who agrees in a browser. */
export interface RemoteSignIn {
  readonly userCode: string;
  readonly address: string;
  readonly completeAddress: string | null;
  readonly intervalSeconds: number;
  /** The session once the person agreed; null before. */
  ask(): Promise<RemoteSession | null>;
}

/** The API, and the sessions there. */
export interface RemoteServer extends DeskSource {
  readonly url: string;
  startSignIn(): Promise<RemoteSignIn>;
  /** Begins the session of a program by the access token of its client credentials. */
  signInProgram(accessToken: string): Promise<RemoteSession>;
  /** Who calls there. */
  identify(): Promise<Pick<OperatorActor, "roles">>;
  /** The file that an act answers. */
  download(noun: Noun, act: string, key: string, given: Given): Promise<Response>;
  /** Ends the session of a secret. */
  signOut(secret: string): Promise<void>;
}
