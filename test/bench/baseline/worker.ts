/** The floor of an intake: one RPC to the object that the path names, one durable insert, 202. */
import { DurableObject } from 'cloudflare:workers'

type Env = { BARE: DurableObjectNamespace<Bare> }

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
    const name = new URL(request.url).pathname.slice('/webhook/'.length)
    const body = new Uint8Array(await request.arrayBuffer())
    const id = await env.BARE.getByName(name).accept(body)
    return Response.json({ id }, { status: 202 })
  },
} satisfies ExportedHandler<Env>
