/**
 * Runs the built Worker in workerd, served through Miniflare's direct socket. Requests through `wrangler dev` would
 * take ten times as long. No other file uses these unstable APIs.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { z } from 'zod'
import type { WorkerBundle } from './bundle-worker.ts'
import { workerBundle } from './bundles.ts'

const settingsSchema = z.object({
  /** Path of an alternative wrangler configuration, for the baseline of the benchmarks. */
  EDGE_CONFIG: z.string().optional(),
  EDGE_STATE_DIR: z.string(),
  EDGE_PORT: z.coerce.number(),
  /** Port of workerd's inspector, for tests. By default, there is no inspector. */
  EDGE_INSPECTOR_PORT: z.coerce.number().optional(),
  /** JSON object with the Worker's settings and secrets. */
  EDGE_BINDINGS: z.string(),
})

async function serve(): Promise<Miniflare> {
  const settings = settingsSchema.parse(process.env)
  const bundle = readFileSync(await workerBundle(settings.EDGE_CONFIG), 'utf8')
  const { script, wasm, workerOptions, migrations } = JSON.parse(bundle) as WorkerBundle
  const { compatibilityDate, d1Databases } = workerOptions
  const options = convertV4MiniflareOptions({
    workers: [
      {
        ...workerOptions,
        name: 'edge',
        bindings: { ...workerOptions.bindings, ...JSON.parse(settings.EDGE_BINDINGS) },
        modules: [
          { type: 'ESModule', path: 'worker.js', contents: script },
          ...Object.entries(wasm).map(([path, text]) => ({
            type: 'CompiledWasm',
            path,
            contents: Buffer.from(text, 'base64'),
          })),
        ],
        unsafeDirectSockets: [{ host: '127.0.0.1', port: settings.EDGE_PORT }],
      },
      {
        name: MIGRATOR,
        compatibilityDate,
        d1Databases,
        bindings: { MIGRATIONS: migrations },
        modules: [{ type: 'ESModule', path: 'migrate.js', contents: MIGRATE }],
        unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      },
    ],
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.WARN),
    host: '127.0.0.1',
    port: 0,
    inspectorPort: settings.EDGE_INSPECTOR_PORT,
    // The types of this beta version describe Miniflare's new schema, but the converter takes the old schema.
  } as unknown as Parameters<typeof convertV4MiniflareOptions>[0])
  const miniflare = new Miniflare({
    ...options,
    resourcePersistencePath: join(settings.EDGE_STATE_DIR, 'storage'),
  })
  await miniflare.ready
  if ('DB' in (d1Databases ?? {})) await migrate(miniflare)
  return miniflare
}

const MIGRATOR = 'migrator'

/**
 * Worker that executes the pending migrations, each in one batch with the row that records it. It is called over HTTP:
 * Miniflare's own access to D1 blocks this process, which then does not read workerd's log. Under load, the pipe fills,
 * and both wait forever. The Worker's port stays open, but a further request finds no pending migration.
 */
const MIGRATE = `
async function migrate({ DB, MIGRATIONS }) {
  await DB.exec('CREATE TABLE IF NOT EXISTS d1_migrations (name TEXT PRIMARY KEY)')
  const { results } = await DB.prepare('SELECT name FROM d1_migrations').all()
  const done = new Set(results.map((row) => row.name))
  for (const { name, statements } of MIGRATIONS) {
    if (done.has(name)) continue
    const note = DB.prepare('INSERT INTO d1_migrations VALUES (?)').bind(name)
    await DB.batch([...statements.map((statement) => DB.prepare(statement)), note])
  }
}
export default {
  fetch: (_request, env) =>
    migrate(env).then(
      () => new Response(),
      (error) => new Response(String(error?.stack ?? error), { status: 500 }),
    ),
}`

async function migrate(miniflare: Miniflare): Promise<void> {
  const response = await fetch(await miniflare.unsafeGetDirectURL(MIGRATOR))
  if (!response.ok)
    throw new Error(`the database cannot be migrated: ${(await response.text()).slice(0, 1_000)}`)
}

let stopping = false
async function stop(miniflare: Miniflare | undefined, code: number): Promise<void> {
  if (stopping) return
  stopping = true
  await miniflare?.dispose().catch(() => {})
  process.exit(code)
}

serve().then(
  (miniflare) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => void stop(miniflare, 0))
    // If the parent process exits, no other process would stop workerd.
    process.once('disconnect', () => void stop(miniflare, 0))
    process.send?.({ ready: {} })
  },
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    process.send?.({ failed: { message } }, undefined, undefined, () => void stop(undefined, 1))
  },
)
