/** Of the runbook: symptoms, as people on call type them. */
export const runbookWords: Readonly<Record<string, string>> = {
  "/docs/guides/runbook":
    "incident outage on call emergency procedure, something is broken playbook troubleshooting sre",
  "/docs/guides/runbook#primary-lost":
    "database server died master down, promote standby failover, postgres crashed cannot connect to the database, database unavailable, connection terminated, failover takes too long",
  "/docs/guides/runbook#both-standbys-lost": "replicas gone writes hang, no replica left",
  "/docs/guides/runbook#etcd-lost": "consensus store DCS quorum gone",
  "/docs/guides/runbook#network-split": "split brain two primaries, partition data centre zones isolated",
  "/docs/guides/runbook#synchronous-standby-hangs": "commits hang writes freeze slow replica",
  "/docs/guides/runbook#disk-full": "no space left on device storage, pg_wal grows volume replication slot",
  "/docs/guides/runbook#clock-wrong": "ntp drift time skew chrony, server time differs",
  "/docs/guides/runbook#replica-far-behind": "replication lag delay stale standby slow",
  "/docs/guides/runbook#pooler-gone": "pgbouncer crashed down",
  "/docs/guides/runbook#chain-s-node-away":
    "ethereum gnosis RPC endpoint node down unreachable, node behind stale not syncing lagging, provider outage infura alchemy, chain halted congestion, rpc quota rate limit exceeded node provider, gnosis chain outage, RPC timeouts 429, switch to another node, block height old, cards declining since minutes all payments fail suddenly",
  "/docs/guides/runbook#nonce-gap": "stuck transactions pending relayer blocked, nonce too high missing mempool",
  "/docs/guides/runbook#openid-provider-away":
    "operators cannot log in sso down okta outage, locked out of the console emergency access break glass",
  "/docs/guides/runbook#alerts":
    "prometheus rules list of alarms, severity page alertmanager, what does this alert mean",
  "/docs/guides/runbook#cardkeepsilent": "no server running target down, everything dead site offline",
  "/docs/guides/runbook#cardkeeppartdown": "server returns 503 readyz down, component failed unhealthy",
  "/docs/guides/runbook#cardkeepworkeraway":
    "worker died what happens to the jobs, background process stopped nothing is processed, worker keeps crashing, background processing stopped, nothing moves",
  "/docs/guides/runbook#cardkeeppartdegraded": "readyz degraded yellow warning",
  "/docs/guides/runbook#cardkeeprequestsfail": "many 500 errors 5xx spike, internal server error api errors",
  "/docs/guides/runbook#cardkeepdecisionsslow":
    "decisions slow latency p99 high response time, authorizations time out too late, authorization latency too high, many timeouts at stripe, database cpu 100% high load, cards declining suddenly",
  "/docs/guides/runbook#cardkeepjobslate":
    "queue length backlog of jobs depth, workers keep up with the load add workers, delayed processing, queue grows and does not shrink",
  "/docs/guides/runbook#cardkeepjobsgivenup": "failed jobs dead letter error permanently",
  "/docs/guides/runbook#cardkeepchoresfail": "cron periodic scheduled task failing",
  "/docs/guides/runbook#cardkeepwithdrawalslate": "withdrawals delayed many customers complain, payouts not executed",
  "/docs/guides/runbook#cardkeepoperationsqueuelate": "withdrawals stay in QUEUING slow relayer",
  "/docs/guides/runbook#cardkeepdeliverieslate": "webhooks late delayed partners complain",
  "/docs/guides/runbook#cardkeepcallbacksrefused":
    "stripe sumsub monerium callback rejected wrong secret, webhook of the vendor signature invalid forged 401",
  "/docs/guides/runbook#cardkeepmoneymissing":
    "money does not match reconciliation difference shortfall, funds stolen from the settlement account hole",
  "/docs/guides/runbook#cardkeepissuercover": "stripe balance runs out low weekend",
  "/docs/guides/runbook#cardkeepaccountchanged": "safe modified alert hacked user",
  "/docs/guides/runbook#cardkeepsignerfails": "kms web3signer unreachable cannot sign, access denied signing errors",
  "/docs/guides/runbook#cardkeepnoncesmissing": "transactions of a relayer stuck",
  "/docs/guides/runbook#cardkeepkeyshared":
    "another program uses our relayer key, unknown outgoing transactions leaked key",
  "/docs/guides/runbook#cardkeepgasstarves":
    "out of gas relayer empty, no xdai insufficient funds for gas, gas price spike fees too high, not enough native tokens",
  "/docs/guides/runbook#cardkeepthreadsunbooked": "payment at stripe missing here not booked",
  "/docs/guides/runbook#cardkeeprecordsmissing": "discrepancy record at partner not in our database",
  "/docs/guides/runbook#rotate-a-key":
    "rotate leaked private key, change replace secret stolen compromised, yearly policy, credential compromise incident steps, an engineer left with keys, laptop with keys stolen",
  "/docs/guides/runbook#relayers":
    "retire a relayer key replace hot wallet, leaked relayer move remaining gas, change the relayer in production",
  "/docs/guides/runbook#operator": "replace the deployer set-up key",
  "/docs/guides/runbook#spender": "spender key stolen leaked what can a thief take",
  "/docs/guides/runbook#secrets-of-the-settings":
    "change webhook secret jwt signing key stripe sumsub secret without downtime, steps of a rotation overlap",
  "/docs/guides/runbook#backup": "how to back up pgbackrest pg_dump, wal archiving s3 nightly configure",
  "/docs/guides/runbook#back-up": "full backup command run now",
  "/docs/guides/runbook#with-pg-dump":
    "dump version mismatch, copy database to another server migrate hosting move, copy production data, export the whole database",
  "/docs/guides/runbook#restore-to-yesterday":
    "restore database accident deleted data, point in time recovery PITR undo mistake dropped table, steps order of a restore, recover from a deleted table, rows deleted by mistake, roll back the database, undo a bad migration",
  "/docs/guides/runbook#restore-to-a-moment": "target timestamp restore command",
  "/docs/guides/runbook#without-pgbackrest": "pg_basebackup recovery.signal manual restore",
  "/docs/guides/runbook#identity-provider-away":
    "KYC provider sumsub is down outage unreachable, verification not available maintenance, what do applicants see, customers cannot verify onboarding broken, lost KYC webhooks verdict missing, KYC checks hang for everybody, sumsub maintenance window, verification link error 502",
  "/docs/guides/runbook#personal-data-breach":
    "personal data breach leak incident, GDPR 72 hours notify the authority regulator, inform affected people customers article 33 34, hacked database stolen dump, employee took customer data, security incident report DPO, which data was leaked ransomware forensic, lost laptop with customer data, mail sent to the wrong customer, wrong person saw data, do we have to notify users, unauthorised access to the console",
};
