/** Follows "Loss of Postgres" in docs/backup.md on a stack under load. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { Audit } from '../../../origin/credits/audit.ts'
import { openDatabase } from '../../../origin/db/open.ts'
import { loadDatabasePassword } from '../../../origin/stack/local-secrets.ts'
import { postgresUrl } from '../../../origin/stack/postgres.ts'
import { newOwner } from '../../system/owner.ts'
import { type StartedStack, startStack } from '../../system/stack.ts'
import { expectSoundBooks } from '../../origin/credits/sound-books.ts'
import type { Figures } from '../figures.ts'
import { ArchivedDatabase } from './archived-database.ts'
import { Load, secondsSince, startCounter } from './load.ts'

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
    const dataDir = join(started.stateDir, 'origin', 'postgres')
    const url = () => {
      const [, , , port] = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
      return postgresUrl(Number(port), loadDatabasePassword(started.stateDir))
    }
    const database = new ArchivedDatabase(
      {
        dataDir,
        url,
        start: () => stack.startComponent('database'),
        stop: () => stack.stopComponent('database'),
        kill: () => stack.kill('database'),
      },
      join(started.stateDir, 'archive'),
    )
    const owner = await newOwner(started)
    await database.archive()
    await sleep(CHARGES_WRITTEN_MS)
    const chargedBefore = await paidBy(database, owner.accountHash)
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
    const charged = (await paidBy(database, owner.accountHash)) - chargedBefore
    await requireSoundBooks(url(), owner.accountHash)
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

/** Cents that the account has paid. */
function paidBy(database: ArchivedDatabase, accountHash: string): Promise<number> {
  return database.connected(async (client) => {
    const text = `select coalesce(sum(cents), 0)::int as cents from ledger_transfers
      where account_hash = $1 and to_account = 'revenue'`
    return (await client.query<{ cents: number }>(text, [accountHash])).rows[0]!.cents
  })
}

async function requireSoundBooks(url: string, accountHash: string): Promise<void> {
  const { db, close } = await openDatabase({ url })
  try {
    await expectSoundBooks(db, accountHash)
    const audit = new Audit({ db, log: () => {} })
    await audit.run()
    expect(audit.differences).toBe(0)
  } finally {
    await close()
  }
}

/** Sends calls with an `Idempotency-Key` from a separate account. */
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
