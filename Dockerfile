# One image for every process: `bun run server` (the default), `bun run worker`, `bun run migrate`, `bun run cardkeep`.
FROM oven/bun:1.4.5 AS base
WORKDIR /cardkeep
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY apps apps
COPY packages packages
COPY drizzle drizzle

# The whole program of `bun start`, local chain and sandbox included; compose.yaml runs it.
FROM base AS local
RUN bun install --frozen-lockfile && mkdir .cardkeep && chown bun:bun .cardkeep
USER bun
CMD ["bun", "apps/local/src/main.ts"]

FROM base AS production
ENV NODE_ENV=production
RUN bun install --frozen-lockfile --production --filter @cardkeep/server --filter @cardkeep/worker --filter @cardkeep/cli
USER bun
EXPOSE 3000
CMD ["bun", "apps/server/src/main.ts"]
