# syntax=docker/dockerfile:1
# Build:  docker build --tag posthorn .
# Run:    docker run --read-only --tmpfs /tmp --publish 127.0.0.1:8080:8080 --volume posthorn:/data posthorn

FROM node:24-bookworm-slim AS base

# If no prebuilt better-sqlite3 can be downloaded, npm compiles it with these.
FROM base AS tools
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends g++ make python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /posthorn
COPY package.json package-lock.json .npmrc ./
COPY apps/console/package.json apps/console/
COPY apps/help/package.json apps/help/
COPY apps/reference/package.json apps/reference/
COPY harness/package.json harness/
COPY packages/client/package.json packages/client/
COPY packages/demo/package.json packages/demo/
COPY packages/receiver/package.json packages/receiver/
COPY packages/server/package.json packages/server/
COPY packages/server/bin packages/server/bin

# Production dependencies in the versions of the lock file, without the files that only compilers, bundlers and debuggers use.
FROM tools AS dependencies
RUN npm ci --omit=dev --workspace packages/server \
 && mv node_modules/better-sqlite3/build/Release/better_sqlite3.node . \
 && rm -rf node_modules/better-sqlite3/build node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
 && mkdir -p node_modules/better-sqlite3/build/Release \
 && mv better_sqlite3.node node_modules/better-sqlite3/build/Release \
 && rm -rf node_modules/@opentelemetry/*/build/esm node_modules/@opentelemetry/*/build/esnext \
 && find . -path '*/node_modules/*' -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' ')' -delete

FROM tools AS build
RUN npm ci
COPY . .
RUN npm run build

FROM base
ENV NODE_ENV=production \
    POSTHORN_HOST=0.0.0.0 \
    POSTHORN_PORT=8080 \
    POSTHORN_DATA_DIR=/data
WORKDIR /posthorn
COPY --from=dependencies /posthorn/node_modules node_modules
# The manifest and the command, and dependencies that npm installed in this folder.
COPY --from=dependencies /posthorn/packages/server packages/server
COPY --from=build /posthorn/LICENSE ./
COPY --from=build /posthorn/packages/server/dist packages/server/dist
COPY --from=build /posthorn/packages/server/console packages/server/console
COPY --from=build /posthorn/packages/server/downloads packages/server/downloads
COPY --from=build /posthorn/packages/server/help packages/server/help
COPY --from=build /posthorn/packages/server/profiles packages/server/profiles
COPY --from=build /posthorn/packages/server/reference packages/server/reference
RUN ln -s /posthorn/packages/server/bin/posthorn.js /usr/local/bin/posthorn \
 && install --directory --owner 1000 --group 1000 --mode 0700 /data
USER 1000:1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["posthorn", "healthcheck"]
ENTRYPOINT ["posthorn"]
CMD ["serve"]
