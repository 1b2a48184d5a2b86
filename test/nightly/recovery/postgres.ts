/** Follows "Loss of Postgres" in docs/backup.md on a stack under load. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect } from 'vitest'
import { Audit } from '../../../origin/credits/audit.ts'
import { openDatabase } from '../../../origin/db/open.ts'
import { loadDatabasePassword } from '../../../origin/stack/local-secrets.ts'
import { postgresUrl } from '../../../origin/stack/postgres.ts'
import { blockWith } from '../../system/docs/documents.ts'
import { newOwner, until } from '../../system/owner.ts'
import { type StartedStack, startStack } from '../../system/stack.ts'
import { expectSoundBooks } from '../../origin/credits/sound-books.ts'
import type { Figures } from '../figures.ts'
import { Load, secondsSince, startCounter } from './load.ts'

const PAGE = 'docs/backup.md'
/** Longer than `archive_timeout`, so that part of the load is archived. */
const LOAD_MS = 75_000
/** Time until an operator notices a dropped table. */
const UNNOTICED_MS = 5_000
const KEYED_EVERY_MS = 500
const CHARGES_WRITTEN_MS = 5_000

type Disaster = 'its data folder is lost' | 'a table is dropped'

export async function restorePostgres(disaster: Disaster): Promise<Figures> {
  const counter = await startCounter()
  const edgeSettings: Record<string, string> = {}
  const started = await startStack({
    ownDatabase: true,
    originSettings: { SVC_OUTBOUND_ALLOW: counter.allow, SVC_STARTER_CREDITS_CENTS: '1000000' },
    edgeSettings: async () => edgeSettings,
  })
  const { stack } = started
  try {
    const database = new ArchivedDatabase(started)
    const owner = await newOwner(started)
    await database.archive()
    await sleep(CHARGES_WRITTEN_MS)
    const chargedBefore = await database.charged(owner.accountHash)
    await database.backUp()
    const load = await Load.start(owner, counter)
    const keyed = await KeyedCalls.start(started)
    await sleep(LOAD_MS)

    const target = disaster === 'a table is dropped' ? await database.dropLedger() : undefined
    const lostAt = performance.now()
    if (target) await sleep(UNNOTICED_MS)
    await keyed.stop()
    await stack.kill('origin')
    if (target) await database.stop()
    else await database.destroy()
    edgeSettings['POSTGRES_RESTORED_AT'] = new Date().toISOString()
    await stack.stopComponent('edge')
    await stack.startComponent('edge')
    await database.restore(target)
    await stack.startComponent('origin')
    await load.executes()
    const seconds = secondsSince(lostAt)
    console.info(`${disaster}: ${seconds} s until a run is executed again`)

    const { figures, runs } = await load.end(/^(origin_lost|credits_unavailable|500 |503 )/)
    const forgotten = await keyed.forgotten()
    await stack.stopComponent('origin')
    const charged = (await database.charged(owner.accountHash)) - chargedBefore
    await database.requireSoundBooks(owner.accountHash)
    const owed = runs.reduce((sum, run) => sum + (run.charged_cents ?? 0), 0)
    expect(charged).toBeLessThanOrEqual(owed)
    return {
      ...figures,
      'cents of runs': owed,
      'cents not charged': owed - charged,
      'stored responses': keyed.count,
      'stored responses lost': forgotten,
      'max seconds without runs': seconds,
    }
  } finally {
    await started.stop()
    await counter.close()
  }
}

/** The database of a stack, with the commands of the page. */
class ArchivedDatabase {
  readonly #started: StartedStack
  readonly #dataDir: string
  readonly #archive: string

  constructor(started: StartedStack) {
    this.#started = started
    this.#dataDir = join(started.stateDir, 'origin', 'postgres')
    this.#archive = join(started.stateDir, 'archive')
  }

  /** The block of the page that contains a text, with this test's folders. */
  #block(text: string): string {
    return blockWith(PAGE, text)
      .replaceAll('/archive', this.#archive)
      .replaceAll('/data', this.#dataDir)
  }

  #execute(text: string): void {
    execFileSync('bash', ['-euc', this.#block(text)])
  }

  async archive(): Promise<void> {
    mkdirSync(join(this.#archive, 'wal'), { recursive: true })
    appendFileSync(join(this.#dataDir, 'postgresql.conf'), this.#block('archive_mode'))
    const { stack } = this.#started
    await stack.stopComponent('database')
    await stack.startComponent('database')
  }

  backUp(): Promise<void> {
    return this.#connected(async (client) => {
      const [start, stop] = blockWith(PAGE, 'pg_backup_start').trim().split('\n')
      await client.query(start!)
      this.#execute('cp -a /data')
      const { rows } = await client.query<{ labelfile: string }>(stop!)
      writeFileSync(join(this.#archive, 'base', 'backup_label'), rows[0]!.labelfile)
    })
  }

  /** @returns the time just before the loss */
  dropLedger(): Promise<string> {
    return this.#connected(async (client) => {
      const { rows } = await client.query<{ now: string }>('select clock_timestamp()::text as now')
      await client.query('drop table ledger_transfers cascade')
      return rows[0]!.now
    })
  }

  /** Stops a server that still has its files, after it has archived all changes. */
  async stop(): Promise<void> {
    await this.#connected(async (client) => void (await client.query('select pg_switch_wal()')))
    await this.#started.stack.stopComponent('database')
    rmSync(this.#dataDir, { recursive: true })
  }

  async destroy(): Promise<void> {
    await this.#started.stack.kill('database')
    rmSync(this.#dataDir, { recursive: true })
  }

  /** @param target time to which the database is restored; by default, the end of the archive */
  async restore(target?: string): Promise<void> {
    this.#execute('recovery.signal')
    const settings = this.#block('restore_command')
    const [given] = /recovery_target_time = .*/.exec(settings)!
    const time = target ? `recovery_target_time = '${target}'` : ''
    appendFileSync(join(this.#dataDir, 'postgresql.conf'), settings.replace(given, time))
    await this.#started.stack.startComponent('database')
    await until(120, 'the recovery ends', () =>
      this.#connected(async (client) => {
        const { rows } = await client.query('select pg_is_in_recovery() as recovers')
        return rows[0].recovers ? undefined : true
      }),
    )
  }

  /** Cents that the account has paid. */
  charged(accountHash: string): Promise<number> {
    return this.#connected(async (client) => {
      const text = `select coalesce(sum(cents), 0)::int as cents from ledger_transfers
        where account_hash = $1 and to_account = 'revenue'`
      return (await client.query<{ cents: number }>(text, [accountHash])).rows[0]!.cents
    })
  }

  async requireSoundBooks(accountHash: string): Promise<void> {
    const { db, close } = await openDatabase({ url: this.#url() })
    try {
      await expectSoundBooks(db, accountHash)
      const audit = new Audit({ db, log: () => {} })
      await audit.run()
      expect(audit.differences).toBe(0)
    } finally {
      await close()
    }
  }

  #url(): string {
    const [, , , port] = readFileSync(join(this.#dataDir, 'postmaster.pid'), 'utf8').split('\n')
    return postgresUrl(Number(port), loadDatabasePassword(this.#started.stateDir))
  }

  async #connected<Value>(work: (client: Client) => Promise<Value>): Promise<Value> {
    const client = new Client({ connectionString: this.#url() })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
}

/** Calls with an `Idempotency-Key` of an account of its own. */
class KeyedCalls {
  readonly #url: string
  readonly #apiKey: string
  readonly #answered: string[] = []
  readonly #enough = new AbortController()
  readonly #sending: Promise<void>

  private constructor(url: string, apiKey: string) {
    this.#url = url
    this.#apiKey = apiKey
    this.#sending = this.#send()
  }

  static async start({ baseUrl }: StartedStack): Promise<KeyedCalls> {
    const response = await fetch(`${baseUrl}/core/v1/new_account`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account_name: 'keyed', account_description: '' }),
    })
    const { api_key } = (await response.json()) as { api_key: string }
    return new KeyedCalls(`${baseUrl}/core/v1/svc_action`, api_key)
  }

  get count(): number {
    return this.#answered.length
  }

  async stop(): Promise<void> {
    this.#enough.abort()
    await this.#sending
  }

  /** Repeats all answered calls. @returns the number of calls that were executed again */
  async forgotten(): Promise<number> {
    let again = 0
    for (const key of this.#answered) {
      const response = await this.#call(key)
      expect(response.status).toBe(200)
      if (!response.headers.has('idempotent-replayed')) again++
    }
    return again
  }

  async #send(): Promise<void> {
    while (!this.#enough.signal.aborted) {
      const key = randomUUID()
      const isAnswered = await this.#call(key).then(
        ({ status }) => status === 200,
        () => false,
      )
      if (isAnswered) this.#answered.push(key)
      await sleep(KEYED_EVERY_MS)
    }
  }

  #call(key: string): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': this.#apiKey,
        'idempotency-key': key,
      },
      body: JSON.stringify({ code: 'const main = () => 1', js_params: {} }),
    })
  }
}
