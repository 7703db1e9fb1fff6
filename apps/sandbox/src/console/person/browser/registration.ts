/** Sign in, sign up, accept the terms. */
import { createSiweMessage } from "viem/siwe";
import { type Command, type Actor, textOf } from "./command.ts";

const signIn: Command = async (actor) => {
  const nonce = await actor.api("auth", "nonce");
  const message = createSiweMessage({
    address: actor.wallet.address,
    chainId: actor.chainId,
    domain: location.host,
    uri: location.origin,
    version: "1",
    nonce,
  });
  const signature = await actor.signText(message);
  const { token } = await actor.api("auth", "challenge", { message, signature });
  actor.useToken(token);
  return "Signed in.";
};

/** The code in the newest message at the sandbox to a mail address or phone number. */
export async function readCode(actor: Actor, path: "/mailbox" | "/phones", to: string): Promise<string> {
  const messages = (await actor.sandbox("GET", path, { to })) as readonly { code: string | null }[];
  const code = messages.find((message) => message.code !== null)?.code;
  if (!code) throw new Error(`No code arrived at ${to}`);
  return code;
}

/** The partner that every sandbox has. */
const partnerId = "sandbox";

const signUp: Command = async (actor, fields) => {
  const authEmail = textOf(fields, "email");
  let otp: string | undefined;
  if (fields["withCode"] === true) {
    await actor.api("auth", "sendOtp", { email: authEmail });
    otp = await readCode(actor, "/mailbox", authEmail);
  }
  const { token, id } = await actor.api("auth", "signUp", { authEmail, partnerId, ...(otp !== undefined && { otp }) });
  actor.useToken(token);
  return `Signed up as user ${id}.`;
};

const acceptTerms: Command = async (actor) => {
  const { terms } = await actor.api("users", "terms");
  const open = terms.filter(({ accepted }) => !accepted);
  for (const { type, currentVersion } of open)
    await actor.api("users", "acceptTerms", { terms: type, version: currentVersion });
  return `${open.length} documents are accepted.`;
};

export const registration: Readonly<Record<string, Command>> = { signIn, signUp, terms: acceptTerms };
