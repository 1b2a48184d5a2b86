import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { ProvidedContext } from 'vitest'
import { defineConfig } from 'vitest/config'
import { makeEdgeTestEnvironment } from './doubles/edge-environment.ts'
import { LongestFirst } from './longest-first.ts'
import { boundsOr } from './nightly/bounds.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Files that run at a time. Most of them wait for blocks and clocks, so there are more than processors. */
const SIDE_BY_SIDE = availableParallelism() + 2

/** Files that kill parts of a stack under load, or hold a time against a bound there: with a third, what is killed is late. */
const KILLING = ['test/system/{two-origins-crash,random-kills,crash}.test.ts']

/**
 * Files that look at what an isolate does first, or want the scanner and its index, the rates of addresses or the mailbox to
 * themselves: a workerd for each.
 */
const FRESH = [
  'test/edge/schedule/{scan,scanner}.test.ts',
  'test/edge/queue/index-row.test.ts',
  'test/edge/trust/origin-trust.test.ts',
  'test/edge/limits/rates.test.ts',
  'test/edge/http/{front,front-attacks,processor-webhook}.test.ts',
  'test/edge/identity/sign-in.test.ts',
]

/**
 * Files of the origin that put a double in a module's place, which others have loaded, or compare with what is Node's own, in
 * whose place a server puts its `Request` and `Response`: a process for each.
 */
const OWN_PROCESS = [
  'test/origin/actions/{failed-fork,failed-start,pool-restart}.test.ts',
  'test/origin/actions/runtime-{fetch,globals}.test.ts',
]

const bindings = await makeEdgeTestEnvironment()
// After the environment: it names the authority that Miniflare reads when it is imported.
const { cloudflareTest, readD1Migrations } = await import('@cloudflare/vitest-plugin')

/** Files that run inside workerd. */
function edgeProject(files: {
  name: string
  include: string[]
  exclude?: string[]
  isolate?: false
  /** Further set-up. */
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

/** Files that run in Node, with parts of the origin. */
function originProject(files: {
  name: string
  include: string[]
  exclude?: string[]
  isolate?: false
  maxWorkers: number
}) {
  return {
    test: {
      ...files,
      root,
      globalSetup: ['./test/origin/template-setup.ts', './test/origin/db/server-setup.ts'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  }
}

/** Files with a stack of real processes each. */
function systemProject(files: {
  name: string
  include: string[]
  exclude?: string[]
  isolate?: false
  maxWorkers: number
  sequence?: { groupOrder: number }
}) {
  return {
    test: {
      ...files,
      root,
      globalSetup: [
        './test/system/stack-setup.ts',
        './test/origin/template-setup.ts',
        './test/origin/db/server-setup.ts',
      ],
      // For what hangs. How fast something is, a test says itself.
      testTimeout: 600_000,
      hookTimeout: 600_000,
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
          maxWorkers: SIDE_BY_SIDE,
        },
      },
      edgeProject({
        name: 'edge',
        include: ['test/edge/**/*.test.ts'],
        exclude: FRESH,
        // A workerd for each file would be more than half of their time.
        isolate: false,
        globalSetup: ['./test/doubles/anvil-setup.ts', './test/doubles/mail-api-setup.ts'],
        provide: { simulation: boundsOr({ first: 1, count: 20 }) },
      }),
      edgeProject({ name: 'edge-fresh', include: FRESH }),
      originProject({
        name: 'origin',
        include: ['test/{origin,shared,conformance,console}/**/*.test.ts'],
        exclude: OWN_PROCESS,
        // What they import is a second of a processor for each file otherwise.
        isolate: false,
        maxWorkers: SIDE_BY_SIDE,
      }),
      originProject({ name: 'origin-fresh', include: OWN_PROCESS, maxWorkers: SIDE_BY_SIDE }),
      systemProject({
        name: 'system',
        include: ['test/{system,browser}/**/*.test.ts'],
        exclude: KILLING,
        isolate: false,
        maxWorkers: SIDE_BY_SIDE,
      }),
      systemProject({
        name: 'system-killing',
        include: KILLING,
        maxWorkers: 2,
        sequence: { groupOrder: 1 },
      }),
    ],
  },
})
