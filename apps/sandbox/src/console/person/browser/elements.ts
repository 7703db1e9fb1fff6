/** Mounts a secure card element: an iframe of its own origin, with the messages of `@gnosispay/pse-sdk`. */
import type { Actor } from "./command.ts";
import { build } from "./build.ts";

const titles: Readonly<Record<string, string>> = {
  cardData: "Number and CVC of the card",
  cardPin: "PIN of the card",
  setCardPin: "New PIN of the card",
};

interface Issued {
  readonly data: { readonly ephemeralToken: string };
}

const answerMsMax = 10_000;

/** Opens an element for a card; an earlier one closes. @throws Error where the element reports one */
export async function openElement(
  actor: Actor,
  { element, cardToken }: { element: string; cardToken: string },
): Promise<void> {
  const place = document.querySelector("#element-frame");
  if (!place) throw new Error("The page has no place for the element");
  // In production the partner's own server asks for this token, with its certificate.
  const { data } = (await actor.sandbox("GET", "/elements/token")) as Issued;
  const frame = build("iframe", { title: titles[element] ?? element });
  frame.allow = "clipboard-write";
  const ready = new Promise<void>((resolve, reject) => {
    const stopAt = setTimeout(() => reject(new Error(`${actor.elementsUrl} does not answer`)), answerMsMax);
    addEventListener("message", function listen({ source, origin, data: message }) {
      if (source !== frame.contentWindow || origin !== actor.elementsUrl) return;
      if (message.type === "Loaded") {
        const init = { type: "init", elementType: element, cardToken, ephemeralToken: data.ephemeralToken };
        frame.contentWindow?.postMessage({ ...init, gnosisPayApiAuthToken: actor.token }, actor.elementsUrl);
        return;
      }
      clearTimeout(stopAt);
      removeEventListener("message", listen);
      if (message.type === "Ready") resolve();
      else reject(new Error(String(message.message ?? message.type)));
    });
  });
  frame.src = `${actor.elementsUrl}/`;
  place.replaceChildren(frame);
  await ready;
}
