/** The first steps: from a wallet to a verified person who has answered every question. */
import { createSiweMessage } from "viem/siwe";
import { z } from "zod";
import { type Step, until } from "./step.ts";

const pathLetters = 12;

export const signIn: Step = {
  title: "Sign in with the wallet",
  run: async (person) => {
    const nonce = z.string().parse(await person.rest("GET", "/auth/nonce"));
    const { address } = person.account;
    const app = { domain: "localhost", uri: "http://localhost" };
    const message = createSiweMessage({ ...app, address, chainId: 100, version: "1", nonce });
    const signature = await person.account.signMessage({ message });
    const answer = await person.rest("POST", "/auth/challenge", { message, signature });
    person.token = z.object({ token: z.string() }).parse(answer).token;
    return address;
  },
};

export const signUp: Step = {
  title: "Sign up and accept the terms",
  run: async (person) => {
    const { id, token } = await person.cardkeep.auth.signUp.mutate({ authEmail: person.email });
    person.token = token;
    person.userId = id;
    const { terms } = await person.cardkeep.users.terms.query();
    for (const { type, currentVersion } of terms) {
      await person.cardkeep.users.acceptTerms.mutate({ terms: type, version: currentVersion });
    }
    return `${person.email}, ${terms.length} documents`;
  },
};

export const verify: Step = {
  title: "Verify the identity",
  run: async (person) => {
    const { url } = await person.cardkeep.kyc.webLink.query({});
    await person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome: "approved" });
    await until("The verdict", async () => (await person.cardkeep.users.me.query()).kycStatus === "approved");
    const { firstName, lastName } = await person.cardkeep.users.me.query();
    person.name = [firstName, lastName].filter(Boolean).join(" ");
    return `approved: ${person.name}; a person would open ${new URL(url).pathname.slice(0, pathLetters)}…`;
  },
};

export const proveMore: Step = {
  title: "Validate a phone, prove funds",
  run: async (person) => {
    const phoneNumber = `+49151${Math.floor(1e7 + Math.random() * 9e7)}`;
    await person.cardkeep.phone.start.mutate({ phoneNumber });
    const messages = await person.sandbox("GET", `/phones?to=${encodeURIComponent(phoneNumber)}`);
    const [message] = z.array(z.object({ code: z.string() })).parse(messages);
    await person.cardkeep.phone.check.mutate({ code: message?.code ?? "" });
    const questions = await person.cardkeep.kyc.questions.query({});
    const answers = questions.map(({ question, answers: [answer = ""] }) => ({ question, answer }));
    await person.cardkeep.kyc.answer.mutate(answers);
    return `${phoneNumber}, ${answers.length} questions`;
  },
};
