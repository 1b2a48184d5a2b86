import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { blockWith } from '../../system/docs/documents.ts'
import { until } from '../../system/owner.ts'

const PAGE = 'docs/backup.md'

export type DatabaseServer = {
  dataDir: string
  url: () => string
  start: () => Promise<unknown>
  /** Stops the server gracefully. */
  stop: () => Promise<unknown>
  kill: () => Promise<unknown>
}

/** A database that is archived and restored with the commands of docs/backup.md. */
export class ArchivedDatabase {
  readonly #server: DatabaseServer
  readonly #dataDir: string
  readonly #archive: string

  /** @param archive folder, which does not exist yet */
  constructor(server: DatabaseServer, archive: string) {
    this.#server = server
    this.#dataDir = server.dataDir
    this.#archive = archive
  }

  /** Returns the code block of the page that contains `text`, with the folders of this test. */
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
    await this.#server.stop()
    await this.#server.start()
  }

  backUp(): Promise<void> {
    return this.connected(async (client) => {
      const [start, stop] = blockWith(PAGE, 'pg_backup_start').trim().split('\n')
      await client.query(start!)
      this.#execute('cp -a /data')
      const { rows } = await client.query<{ labelfile: string }>(stop!)
      writeFileSync(join(this.#archive, 'base', 'backup_label'), rows[0]!.labelfile)
    })
  }

  /** @returns the time just before the loss */
  dropLedger(): Promise<string> {
    return this.connected(async (client) => {
      const { rows } = await client.query<{ now: string }>('select clock_timestamp()::text as now')
      await client.query('drop table ledger_transfers cascade')
      return rows[0]!.now
    })
  }

  /** Archives all changes, stops the server, and deletes its data folder. */
  async stop(): Promise<void> {
    await this.connected(async (client) => void (await client.query('select pg_switch_wal()')))
    await this.#server.stop()
    rmSync(this.#dataDir, { recursive: true })
  }

  async destroy(): Promise<void> {
    await this.#server.kill()
    rmSync(this.#dataDir, { recursive: true })
  }

  /** @param target time to which the database is restored; by default, the end of the archive */
  async restore(target?: string): Promise<void> {
    this.#execute('recovery.signal')
    const settings = this.#block('restore_command')
    const [given] = /recovery_target_time = .*/.exec(settings)!
    const time = target ? `recovery_target_time = '${target}'` : ''
    appendFileSync(join(this.#dataDir, 'postgresql.conf'), settings.replace(given, time))
    await this.#server.start()
    await until(120, 'the recovery ends', () =>
      this.connected(async (client) => {
        const { rows } = await client.query('select pg_is_in_recovery() as recovers')
        return rows[0].recovers ? undefined : true
      }),
    )
  }

  async connected<Value>(work: (client: Client) => Promise<Value>): Promise<Value> {
    const client = new Client({ connectionString: this.#server.url() })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
}
