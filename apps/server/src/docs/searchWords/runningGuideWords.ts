/** Of the guides and of the handbook's chapters about installing and running the service. */
export const runningGuideWords: Readonly<Record<string, string>> = {
  "/docs/guides/production":
    "go live checklist, deploy hosting cloud aws, self-host on premise vps install on a server, real money mainnet, from sandbox to live switch, checklist before launch day, real cards",
  "/docs/guides/production#1-prepare-what-the-service-needs":
    "prerequisites before installation, accounts to open at providers, dependencies redis kafka needed, which infrastructure, postgres 17 16 supported version, delete test data before launch start with an empty database, switch from sandbox to real partners",
  "/docs/guides/production#2-make-keys-and-settings": "generate secrets env file, create private keys bootstrap",
  "/docs/guides/production#3-fill-in-the-rest":
    "missing settings required environment variables mandatory, configuration values",
  "/docs/guides/production#4-connect-the-partners":
    "connect stripe sumsub monerium, live keys credentials, callback url webhook endpoint at the vendor dashboard inbound",
  "/docs/guides/production#5-fund-the-keys":
    "send xdai gas to relayers spender, initial funding how much native, approve token allowance",
  "/docs/guides/production#7-start-the-processes":
    "systemd run server worker, how many instances, reverse proxy nginx, docker image container",
  "/docs/guides/production#8-ask-the-doctor":
    "is my configuration correct verify the installation, preflight self check before launch",
  "/docs/guides/production#9-register-the-first-partner":
    "api key for a frontend app, allow my website to sign people in domain",
  "/docs/guides/production#10-watch-it":
    "set up monitoring uptime health endpoint, readyz livez probes, dashboard status page, healthcheck endpoint livez readyz, what do I monitor first, smoke test after deployment, status endpoint, how do I know the api is healthy",
  "/docs/guides/upgrading":
    "breaking changes release notes, migrate version client compatibility, update policy semver, blue green canary rolling deployment, new version released what to do",
  "/docs/guides/upgrading#upgrade-the-service":
    "install a new release update patch, upgrade without downtime maintenance window, migrate first order of steps",
  "/docs/guides/upgrading#what-may-change-under-you":
    "backward compatible stability promise versioning, new fields unknown enum values, will my integration break, which fields can be null optional",
  "/docs/guides/upgrading#deprecated-routes": "removed endpoint sunset end of life, old api headers notice",
  "/docs/guides/upgrading#upgrade-a-sandbox": "update local bun start keep data reset",
  "/docs/guides/changelog": "what is new history of releases, version of the API changes news",
  "/docs/guides/changelog#1-1-0": "latest version new features highlights",
  "/docs/guides/changelog#1-0-0": "first version initial release",
  "/docs/guides/handbook": "manual administrator guide operations reference sysadmin",
  "/docs/guides/handbook#run-in-production":
    "first installation steps server, requirements checklist, which process needs which key, hardening least privilege database role, which ports and firewall rules, X-Forwarded-For proxy, disable the sandbox in production, minimal production setup, ubuntu server, single server installation, permissions of files, environment variables per process, one small VM single machine",
  "/docs/guides/handbook#secrets":
    "where to store secrets vault files environment, where do I put private keys safely, permissions of secret files chmod, kubernetes docker secret, reload a secret without restart SIGHUP, plaintext protect passwords, database password changed credentials, secrets manager integration vault aws, rotate env file, where do I keep api keys, rotate the database password, secret leaked in git",
  "/docs/guides/handbook#signers":
    "hsm kms hardware security module, web3signer remote signing, keep keys outside of the server, aws kms azure key vault iam permissions, hot wallet cold MPC fireblocks, protect private keys",
  "/docs/guides/handbook#top-ups":
    "automatic refill gas, relayer balance low xdai running dry, fund hot wallet limit per day",
  "/docs/guides/handbook#database":
    "postgres version, managed RDS cloud sql aurora supabase neon, can I use my own database, max_connections how many connections, ssl tls encryption in transit, mysql, failover several hosts, postgres 17 16 version supported, tls certificates sslmode, postgres connection limit reached, mariadb, encrypted database disk, superuser needed, extensions needed, timescale, azure database, connection refused, password rotation of the database",
  "/docs/guides/handbook#pgbouncer":
    "connection pooler too many connections, transaction mode supavisor rds proxy, prepared statements",
  "/docs/guides/handbook#read-replica":
    "read only copy offload reporting, stale reads lag, scale reads analytics queries",
  "/docs/guides/handbook#commands":
    "CLI list of commands command line tool, customer changed e-mail address phone number, script automation exit code json output, remote server api, administration terminal",
  "/docs/guides/handbook#operators":
    "reset operator password sign in, single sign-on SSO okta azure ad keycloak google saml OIDC, give a colleague access new hire onboarding employee staff, remove access leaver employee left, two-factor 2fa mfa, who sees personal data customer names, four eyes second person approval dual control who approved, audit trail who changed what which staff member, roles groups mapping permissions, break glass emergency access, service account program, session, who changed this setting price, which agent changed the phone number, log in as admin first time, lock out a colleague, service account for automation, external auditor read access, approve as second person, session expired, give a colleague access to the console, who has access to production, administrators password policy, employee phone stolen still signed in to the console, log a colleague out, add a finance colleague, what is recorded of what support does reads log",
  "/docs/guides/handbook#receive-webhooks-while-you-develop":
    "localhost tunnel ngrok, forward events to my laptop, trigger test event, debug webhooks locally",
  "/docs/guides/handbook#kubernetes-and-compose":
    "several servers load balancer scale out replicas, helm chart yaml pods eks gke, autoscaling HPA memory limit ram usage, docker-compose haproxy ingress, high memory usage of the server, OOM killed, official docker image, readiness probe, CPU request limit, terraform, openshift, scale workers",
  "/docs/guides/handbook#start-and-stop":
    "does not start port in use already running, restart graceful shutdown SIGTERM drain, what happens to jobs in flight when killed crash, two workers several servers at the same time parallel, reboot maintenance order of processes, worker keeps restarting crash loop, which processes may run more than once, safe to kill, update the operating system, server hangs at start, server will not boot after config change, what does the worker do process roles",
  "/docs/guides/handbook#upgrade":
    "zero downtime rolling deploy new release, downgrade roll back to the previous version, migration lock slow, backfill progress schema change, zero downtime database upgrade, long transactions lock a migration, failed migration what now, postgres major upgrade, skip a version, worker and server of different versions",
  "/docs/guides/handbook#after-a-restore-or-a-failover":
    "lost transactions after restore, missing payments after a crash data loss, double spending guard, recover what was lost reconcile gaps, backfill missed transactions from stripe resync import",
  "/docs/guides/handbook#growth":
    "scale many users database size, archive old months old rows fill the database, table partition storage grows, purge history delete old data, citus sharding terabytes, database too big, delete old payments, five years of data, index bloat vacuum",
  "/docs/guides/handbook#keys":
    "leaked compromised key rotation, how often rotate keys schedule policy, age inventory of keys, when can an old key be deleted overlap, encryption at rest, jwks, rotate the stripe api key sumsub token credentials of partners",
  "/docs/guides/handbook#standbys":
    "high availability failover HA cluster, replica patroni synchronous replication, lose no data RPO zero redundancy",
  "/docs/guides/handbook#backup-and-restore":
    "how often backup dump snapshot, disaster recovery RPO RTO, test restore drill, which data must be backed up, what to back up keys settings, restore drill on another machine, test our backups, how long does a restore take, what is not in the backup, daily backup",
  "/docs/guides/handbook#doctor":
    "health check self test diagnose, misconfiguration troubleshoot, meaning of fault warning degraded status, healthcheck endpoint, server refuses to start invalid setting",
  "/docs/guides/handbook#metrics-logs-and-traces":
    "where are logs log lines request id, sentry datadog elk loki splunk, grafana prometheus scrape set up monitoring, alerts on slack pagerduty mail notify on-call, tracing opentelemetry jaeger, debug observability level, log format json fields, ship logs to elasticsearch cloudwatch, which version is running, silence mute an alert, too many alerts, personal data in logs, correlate a request, what do I monitor first, uptime check, latency histogram, get notified when a case opens, send alerts to slack, error tracking",
  "/docs/guides/handbook#in-front-of-the-servers":
    "terminate TLS https at the load balancer, ssl certificate lets encrypt, nginx caddy traefik cloudflare configuration, block an IP address ban WAF ddos, second region multi-region availability zone, sticky sessions, restrict access to the console VPN, which paths are public, certificate expired renew",
  "/docs/guides/handbook#move-to-other-machines":
    "move to another cloud host migrate installation, change hosting provider, change the domain name, clone the installation copy to staging, new server same data, disaster recovery site",
};
