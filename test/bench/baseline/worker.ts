/**
 * Baselines for intake. The minimum: one RPC to the object named in the path, one durable insert, 202. The alternative:
 * one insert into D1 without an object.
 */
import { DurableObject } from 'cloudflare:workers'

type Env = { BARE: DurableObjectNamespace<Bare>; RUNS: D1Database }

export class Bare extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS arrivals (id INTEGER PRIMARY KEY, body BLOB)')
  }

  async accept(body: Uint8Array): Promise<number> {
    const sql = 'INSERT INTO arrivals (body) VALUES (?) RETURNING id'
    return this.ctx.storage.sql.exec(sql, body).one().id as number
  }
}

export default {
  async fetch(request, env) {
    const [, kind, name = ''] = new URL(request.url).pathname.split('/')
    const body = new Uint8Array(await request.arrayBuffer())
    if (kind === 'd1') return Response.json(await insert(env.RUNS, name, body), { status: 202 })
    const id = await env.BARE.getByName(name).accept(body)
    return Response.json({ id }, { status: 202 })
  },
} satisfies ExportedHandler<Env>

let made = false
async function insert(runs: D1Database, name: string, body: Uint8Array): Promise<{ id: unknown }> {
  if (!made)
    await runs.exec(
      'CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, name TEXT, body BLOB)',
    )
  made = true
  const sql = 'INSERT INTO runs (name, body) VALUES (?, ?) RETURNING id'
  return { id: await runs.prepare(sql).bind(name, body).first('id') }
}
