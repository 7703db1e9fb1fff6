/**
 * Words of the trade in the names of files and folders, beside those of the glossary, in the singular.
 *
 * A name with a new word fails a test until the word is here. Take a word that an engineer would search for: one of
 * Stripe, Safe, Postgres, Ethereum or HTTP. A word that names no thing (`later`, `places`, `door`) does not belong here.
 */

/** Acts, and what qualifies them or their things. */
const acts = `
  accept adapter core adopt minify resolve rewrite expand activate activated active add advance aggregate ahead all append apply ask attach authorize begin build bundle bundled detect template fingerprint burn
  by call cancel carry change check clearing collect compare compile compose create delete deploy dequeue derive describe diagnose distribute
  disable disabled drain draw due each enable encode end erase exit expire export fetch final fill find finish follow foreign forget forward freeze
  generate get grant hand matched import index inspect integrate is issue kept legacy listen live local loopback lost me migrate missing most notify off old once
  open overdue own pack paid parse pending patch perform pick plan predict prepare poll prove pull read ready reconcile recover redeem redirect refresh refuse
  register rehearse release remove removed renew replace reply request require reschedule reseal reserve reset restart restore restored retire return
  returned restrict review search searched seed seeded send set shared simplify since stale stand start stop stopped stuck submit subscribe sum summarise sweep trace trigger typed unauthorized unmatched
  queued tick
  until up verify wait wake watch where while whole withdraw
`;

/** Things: of payments, chains, partners, HTTP and programs. */
const things = `
  anchor guide heading scope html markdown reference sample tab
  aws chart count csv statement navigation der digest kms remote signer web3signer
  evaluate window credit evidence backtest hit past write environment installation network scaling workload role replay replayed
  abis addition address approval array allowance amount answer api app applicant auth availability backlog balance bank batch block archive
  alert commit body book breaker browser budget business caller case cardholder cardkeep cashback catalogue child claim class client clock clue column comparison connection
  component completion command config consent console contact context contract cors country coupon creation currency curve daily data database day deadline default
  demo deployment desk detail development discrepancy disk dispatch doc doctor document domain driver duration effect element
  eligibility email emoney executor encoder ens env envelope error example execution extension fact fail family fate fault feed field file filter
  finding flow form frame fund gap gas gate gauge genesis guard hash head header health hex history holding hour housekeeping jitter
  http iban id identity idempotency image inbound landing increment inbox instant integration integrity iso journal journey json kit kyc legal library limit
  link list liveness llm lock logout look loss machine mail mailbox main manifest markup measure media message metric migration minter month
  module monerium multicall node notice noun number object onboarding onchain openapi openid option order otp outbox outcome overview partition
  ownership package page parameter parent part people person personal phone pid pin plain policy pool port postgres price
  primitive privacy process production profile program progress provider proxy public query question queue rate
  reader recent reconciliation referral registration removal replication resource response rest result retention revert reward risk roll route rpc rsa
  personalization design shipping rule sandbox saver schema script secret seeding server service setting settle settler setup shell signal signature signing siwe
  sms smtp snapshot source space spend state status step store stripe style subject submission summary sumsub supervisor
  table tarball term terminal testing text thread tier time timeline timestamp tool top tracing trpc twilio type url usage
  bar bin countdown drawing figure legend line picture way
  user verb verdict verification verifier version violation virtual wallet web webhook wire withdrawal word wording work worker category control merchant mirror mcc range
  color suggestion latin
`;

export const tradeWords: ReadonlySet<string> = new Set(`${acts}${things}`.split(/\s+/).filter(Boolean));
