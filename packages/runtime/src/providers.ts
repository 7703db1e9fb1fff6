import { createEnsReader } from "@cardkeep/chain/ens";
import { splitUrls } from "@cardkeep/chain/reads/rpc";
import { isPlaceholderEmail } from "@cardkeep/contract/users/placeholderEmail";
import { parseDatabaseAddress } from "@cardkeep/db/databaseAddress";
import type { Services } from "@cardkeep/domain/core/services";
import { createMonerium } from "@cardkeep/providers/emoney/monerium";
import type { ReportCall } from "@cardkeep/providers/http";
import { createStripeIssuer } from "@cardkeep/providers/issuer/stripe";
import { createSumsub } from "@cardkeep/providers/kyc/sumsub";
import type { Mailer } from "@cardkeep/providers/mail/port";
import { createSandboxMailer } from "@cardkeep/providers/mail/sandbox";
import { createSmtpMailer } from "@cardkeep/providers/mail/smtp";
import { createOpenidProvider } from "@cardkeep/providers/openid/openidProvider";
import { createTwilio } from "@cardkeep/providers/sms/twilio";
import { createWebhookSender } from "@cardkeep/providers/webhooks/send";
import { createWebhookKeys } from "@cardkeep/providers/webhooks/sign";
import type { KeyUses } from "./keyUses.ts";
import type { Reports } from "./reports.ts";
import type { SettingName } from "./settingUses.ts";
import type { Settings } from "./settings.ts";

/** Time limit of one call to a partner. */
const timeoutMs = 4_000;
/** Time limit of a webhook receiver, as published. */
const webhookTimeoutMs = 30_000;

type Providers = Pick<
  Services,
  "ens" | "openid" | "kyc" | "emoney" | "issuer" | "mailer" | "sms" | "webhookSender" | "webhookKeys"
>;

/** Builds the adapters of everything outside of the service, except database and chain. */
export function createProviders(settings: Settings, { provider: report }: Reports, keyUses: KeyUses): Providers {
  const { production: isProduction, policy, ensRpcUrl } = settings;
  const accepted = (setting: SettingName) => (secret: string) => keyUses.record(setting, secret);
  return {
    ens: ensRpcUrl === null ? null : createEnsReader({ rpcUrl: ensRpcUrl, timeoutMs }),
    openid:
      settings.openid === null
        ? null
        : createOpenidProvider({ ...settings.openid, timeoutMs, report: report("openid") }),
    kyc: createSumsub({ ...settings.kyc, timeoutMs, report: report("kyc"), onSecret: accepted("KYC_CALLBACK_SECRET") }),
    emoney: createMonerium({
      ...settings.emoney,
      chainId: policy.chainId,
      timeoutMs,
      report: report("emoney"),
      onSecret: accepted("EMONEY_CALLBACK_SECRET"),
    }),
    issuer: createStripeIssuer({
      ...settings.issuer,
      timeoutMs,
      report: report("issuer"),
      onSecret: accepted("CARD_ISSUER_CALLBACK_SECRETS"),
    }),
    mailer: createMailer(settings, report("mail")),
    sms: createTwilio({ ...settings.sms, timeoutMs, report: report("sms") }),
    webhookSender: createWebhookSender({
      isProduction,
      inboxOrigin: isProduction ? null : settings.sandboxUrl,
      ownPorts: listOwnPorts(settings),
      timeoutMs: webhookTimeoutMs,
    }),
    webhookKeys: createWebhookKeys(settings.webhookSigningKeys, settings.webhookPublicKeys),
  };
}

/** The ports of this program's parts, of its database and of its nodes. */
function listOwnPorts(settings: Settings): number[] {
  const { port, sandboxPort, elementsPort, workerPort, chainPort, postgresPort, rpcUrl } = settings;
  const { databaseUrl, databaseSessionUrl, databaseReadUrl } = settings;
  const databases = [databaseUrl, databaseSessionUrl, databaseReadUrl].filter((url) => url != null);
  const nodes = databases.flatMap((url) => parseDatabaseAddress(url).nodes);
  const urls = splitUrls(rpcUrl ?? "").filter((url) => URL.canParse(url));
  return [
    ...[port, sandboxPort, elementsPort, workerPort, chainPort, postgresPort].filter((each) => each !== null),
    ...nodes.map((node) => node.port),
    ...urls.map((url) => Number(new URL(url).port)),
  ];
}

/** A person without a mail address gets no mail. */
function createMailer(
  { mailServer: server, mailFrom: from, sandboxUrl: url, policy }: Settings,
  report: ReportCall,
): Mailer {
  const mailer =
    server === null
      ? createSandboxMailer({ url, timeoutMs, report })
      : createSmtpMailer({ server, from, senderName: policy.programme.name, timeoutMs, report });
  return { send: async (mail) => (isPlaceholderEmail(mail.to) ? undefined : mailer.send(mail)) };
}
