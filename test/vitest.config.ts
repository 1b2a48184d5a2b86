import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { ProvidedContext } from 'vitest'
import { defineConfig } from 'vitest/config'
import { makeEdgeTestEnvironment } from './doubles/edge-environment.ts'
import { LongestFirst } from './longest-first.ts'
import { boundsOr } from './nightly/bounds.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Files that run in parallel: more than processors, because most of them wait for blocks and timers. */
const SIDE_BY_SIDE = availableParallelism() + 2

/** Files that need their own workerd: they test a new isolate, or need exclusive scanner, index, watcher, rate limits or mailbox. */
const FRESH = [
  'test/edge/schedule/{scan,scanner}.test.ts',
  'test/edge/alerts/chain-lagging.test.ts',
  'test/edge/queue/index-row.test.ts',
  'test/edge/trust/origin-trust.test.ts',
  'test/edge/limits/rates.test.ts',
  'test/edge/http/{front,front-attacks,processor-webhook}.test.ts',
  'test/edge/identity/sign-in.test.ts',
]

/**
 * Files that need their own process: they mock a module that other files have loaded, or compare with Node's own `Request` and
 * `Response`, which the HTTP server replaces.
 */
const OWN_PROCESS = [
  'test/origin/actions/{failed-fork,failed-start,pool-restart}.test.ts',
  'test/origin/actions/runtime-{fetch,globals}.test.ts',
]

/** Resolves what actions import, as tsconfig.json does. */
const PACKAGE_MODULES = {
  '@svc-run/cli/action': `${root}shared/action/index.ts`,
  '@svc-run/cli/test': `${root}origin/testing/index.ts`,
}

const bindings = await makeEdgeTestEnvironment()
// Imported after the environment is set, because Miniflare reads the certificate authority from it.
const { cloudflareTest, readD1Migrations } = await import('@cloudflare/vitest-plugin')

/** A project whose files run in workerd. */
function edgeProject(files: {
  name: string
  include: string[]
  exclude?: string[]
  isolate?: false
  globalSetup?: string[]
  provide?: Partial<ProvidedContext>
}) {
  return {
    plugins: [
      cloudflareTest(async () => ({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          bindings: { ...bindings, TEST_MIGRATIONS: await readD1Migrations('./drizzle/edge') },
        },
      })),
    ],
    test: {
      ...files,
      root,
      setupFiles: ['./test/edge/setup.ts'],
      globalSetup: [
        './test/page-scripts-setup.ts',
        './test/doubles/sealed-origin-setup.ts',
        './test/doubles/evidence-setup.ts',
        ...(files.globalSetup ?? []),
      ],
      testTimeout: 180_000,
      hookTimeout: 180_000,
      maxWorkers: SIDE_BY_SIDE,
    },
  }
}

/** A project whose files run in Node, with parts of the origin. */
function originProject(files: {
  name: string
  include: string[]
  exclude?: string[]
  isolate?: false
  maxWorkers: number
}) {
  return {
    resolve: { alias: PACKAGE_MODULES },
    test: {
      ...files,
      root,
      globalSetup: ['./test/origin/template-setup.ts', './test/origin/db/server-setup.ts'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  }
}

export default defineConfig({
  root,
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'tree',
          root,
          include: ['test/tree/**/*.test.ts'],
          globalSetup: ['./test/page-scripts-setup.ts'],
          maxWorkers: SIDE_BY_SIDE,
        },
      },
      edgeProject({
        name: 'edge',
        include: ['test/edge/**/*.test.ts'],
        exclude: FRESH,
        // Otherwise, starting workerd for each file would take more than half of the time.
        isolate: false,
        globalSetup: [
          './test/doubles/anvil-setup.ts',
          './test/doubles/mail-api-setup.ts',
          './test/doubles/alert-receiver-setup.ts',
          './test/doubles/otlp-collector-setup.ts',
          './test/doubles/client-documents-setup.ts',
        ],
        provide: { simulation: boundsOr({ first: 1, count: 20 }) },
      }),
      edgeProject({ name: 'edge-fresh', include: FRESH }),
      originProject({
        name: 'origin',
        include: ['test/{origin,shared,conformance,browser-code}/**/*.test.ts'],
        exclude: OWN_PROCESS,
        // Otherwise, the imports of each file take a second of CPU time.
        isolate: false,
        maxWorkers: SIDE_BY_SIDE,
      }),
      originProject({ name: 'origin-fresh', include: OWN_PROCESS, maxWorkers: SIDE_BY_SIDE }),
      {
        resolve: { alias: PACKAGE_MODULES },
        test: {
          name: 'examples',
          root,
          include: ['examples/*/test/**/*.test.ts'],
          isolate: false,
          setupFiles: ['./test/examples-setup.ts'],
          globalSetup: ['./test/origin/template-setup.ts'],
          testTimeout: 300_000,
          maxWorkers: SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'system',
          root,
          include: ['test/{system,browser}/**/*.test.ts'],
          isolate: false,
          globalSetup: [
            './test/system/stack-setup.ts',
            './test/origin/template-setup.ts',
            './test/origin/db/server-setup.ts',
          ],
          // Only detects hangs.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers: SIDE_BY_SIDE,
        },
      },
    ],
  },
})
