/** Runs the baseline service in its own process, on the Postgres server of the stack. */
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { Child } from '../../../origin/stack/child.ts'
import { until } from '../../system/owner.ts'
import { post } from '../load.ts'
import type { DurablePostgres } from '../durable-postgres.ts'
import { EVENT, HEADERS, IN_FLIGHT } from './loaded-stack.ts'

const SERVICE = fileURLToPath(new URL('job-service.ts', import.meta.url))
const DATABASE = 'jobs'

export class JobQueue {
  readonly #child: Child
  readonly #client: Client
  readonly #url: string

  private constructor(child: Child, client: Client, url: string) {
    this.#child = child
    this.#client = client
    this.#url = url
  }

  static async start(postgres: DurablePostgres): Promise<JobQueue> {
    const connectionString = await postgres.createDatabase(DATABASE)
    const client = new Client({ connectionString })
    await client.connect()
    await client.query(`create table outcomes (id bigint generated always as identity primary key,
      response jsonb not null, finished_at timestamptz not null default clock_timestamp())`)
    const child = new Child({
      name: 'job service',
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', SERVICE],
      env: { ...process.env, DATABASE_URL: connectionString },
      ipc: true,
      stopSignal: 'SIGTERM',
      onLine: () => {},
      started: () => {},
    })
    const { port } = await child.waitForReady<{ port: number }>()
    return new JobQueue(child, client, `http://127.0.0.1:${port}`)
  }

  /** Sends events. @returns jobs per second, from the first event to the last outcome */
  async burst(events: number): Promise<number> {
    await this.#client.query('truncate outcomes')
    const began = Date.now()
    await post({
      url: () => this.#url,
      body: EVENT,
      headers: HEADERS,
      requests: events,
      inFlight: IN_FLIGHT,
    })
    const ended = await until(120, 'all jobs have an outcome', async () => {
      const text = 'select count(*)::int as count, max(finished_at) as last from outcomes'
      const { rows } = await this.#client.query<{ count: number; last: Date }>(text)
      const { count, last } = rows[0]!
      return count === events ? last.getTime() : undefined
    })
    return events / ((ended - began) / 1000)
  }

  async stop(): Promise<void> {
    await this.#child.stop()
    await this.#client.end()
  }
}
