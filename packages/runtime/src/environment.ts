/** The schema of the environment. */
import { z } from "zod";
import { accessEnvironment } from "./settings/access.ts";
import { accountEnvironment } from "./settings/accounts.ts";
import { cardEnvironment } from "./settings/cards.ts";
import { chainEnvironment } from "./settings/chain.ts";
import { databaseEnvironment } from "./settings/database.ts";
import { emoneyEnvironment } from "./settings/emoney.ts";
import { issuerEnvironment } from "./settings/issuer.ts";
import { keyEnvironment } from "./settings/keys.ts";
import { kycEnvironment } from "./settings/kyc.ts";
import { recordEnvironment } from "./settings/records.ts";
import { limitEnvironment } from "./settings/limits.ts";
import { messageEnvironment } from "./settings/messages.ts";
import { moneyEnvironment } from "./settings/money.ts";
import { operatorEnvironment } from "./settings/operators.ts";
import { processEnvironment } from "./settings/process.ts";
import { bookEnvironment } from "./settings/books.ts";
import { statementEnvironment } from "./settings/statements.ts";
import { programmeEnvironment } from "./settings/programme.ts";
import { topUpEnvironment } from "./settings/topUps.ts";
import { treasuryEnvironment } from "./settings/treasury.ts";

/** The environment as text, by groups. Descriptions and defaults are the source of `.env.example`. */
export const environment = z.object({
  ...processEnvironment,
  ...databaseEnvironment,
  ...keyEnvironment,
  ...topUpEnvironment,
  ...chainEnvironment,
  ...accountEnvironment,
  ...moneyEnvironment,
  ...treasuryEnvironment,
  ...accessEnvironment,
  ...operatorEnvironment,
  ...limitEnvironment,
  ...cardEnvironment,
  ...kycEnvironment,
  ...recordEnvironment,
  ...statementEnvironment,
  ...bookEnvironment,
  ...emoneyEnvironment,
  ...issuerEnvironment,
  ...messageEnvironment,
  ...programmeEnvironment,
});
