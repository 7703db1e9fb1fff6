FROM oven/bun:1.4.5 AS base
WORKDIR /cardkeep
COPY package.json bun.lock bunfig.toml tsconfig.json CHANGELOG.md ./
COPY apps apps
COPY packages packages
COPY drizzle drizzle

# The whole program of `bun start`, local chain and sandbox included; compose.yaml runs it.
FROM base AS local
RUN bun install --frozen-lockfile && mkdir .cardkeep && chown bun:bun .cardkeep
USER bun
HEALTHCHECK --interval=5s --timeout=5s --start-period=120s \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/readyz`)).ok ? 0 : 1)"]
CMD ["bun", "apps/local/src/main.ts"]

FROM base AS build
COPY LICENSE ./
RUN bun install --frozen-lockfile --production --filter @cardkeep/server --filter @cardkeep/worker --filter @cardkeep/cli --filter @cardkeep/pack \
  && bun apps/pack/src/image.ts --out /image

# One image for every process: `bun run server` (the default), `bun run worker`, `bun run migrate`, `bun run cardkeep`.
# Its programs are bundles, so it has no node_modules. They write nothing but /tmp: the root file system may be read-only.
FROM oven/bun:1.4.5-slim AS production
WORKDIR /cardkeep
COPY --from=build /image ./
ENV NODE_ENV=production
USER bun
EXPOSE 3000
# It asks whether the process answers, not whether its database does: a restart would not help then. A worker answers on WORKER_PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.WORKER_PORT ?? process.env.PORT ?? 3000}/livez`)).ok ? 0 : 1)"]
CMD ["bun", "apps/server/src/main.js"]
