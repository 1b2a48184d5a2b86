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
  const { script, workerOptions, migrations } = JSON.parse(bundle) as WorkerBundle
  const options = convertV4MiniflareOptions({
    ...workerOptions,
    name: 'edge',
    bindings: { ...workerOptions.bindings, ...JSON.parse(settings.EDGE_BINDINGS) },
    modules: [{ type: 'ESModule', path: 'worker.js', contents: script }],
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.WARN),
    host: '127.0.0.1',
    port: 0,
    inspectorPort: settings.EDGE_INSPECTOR_PORT,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: settings.EDGE_PORT }],
    // The types of this beta version describe Miniflare's new schema, but the converter takes the old schema.
  } as unknown as Parameters<typeof convertV4MiniflareOptions>[0])
  const miniflare = new Miniflare({
    ...options,
    resourcePersistencePath: join(settings.EDGE_STATE_DIR, 'storage'),
  })
  await miniflare.ready
  if ('DB' in (workerOptions.d1Databases ?? {})) await migrate(miniflare, migrations)
  return miniflare
}

/** Each migration is executed in one batch with the row that records it. */
async function migrate(
  miniflare: Miniflare,
  migrations: WorkerBundle['migrations'],
): Promise<void> {
  const db = await miniflare.getD1Database('DB')
  await db.exec('CREATE TABLE IF NOT EXISTS d1_migrations (name TEXT PRIMARY KEY)')
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const done = new Set(results.map((row) => row.name))
  for (const { name, statements } of migrations) {
    if (done.has(name)) continue
    const note = db.prepare('INSERT INTO d1_migrations VALUES (?)').bind(name)
    await db.batch([...statements.map((statement) => db.prepare(statement)), note])
  }
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
