import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { makeEdgeTestEnvironment } from './doubles/edge-environment.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const bindings = await makeEdgeTestEnvironment()
// After the environment: it names the authority that Miniflare reads when it is imported.
const { cloudflareTest, readD1Migrations } = await import('@cloudflare/vitest-plugin')

export default defineConfig({
  root,
  test: {
    projects: [
      { test: { name: 'tree', root, include: ['test/tree/**/*.test.ts'] } },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: { ...bindings, TEST_MIGRATIONS: await readD1Migrations('./drizzle/edge') },
            },
          })),
        ],
        test: {
          name: 'edge',
          root,
          include: ['test/edge/**/*.test.ts'],
          setupFiles: ['./test/edge/setup.ts'],
          globalSetup: ['./test/doubles/sealed-origin-setup.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'origin',
          root,
          include: ['test/{origin,shared,conformance}/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'system',
          root,
          include: ['test/{system,browser}/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
