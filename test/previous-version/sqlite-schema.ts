import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

export type SqliteName = 'edge' | 'trigger-queue' | 'chain-watcher'

export type DatabaseName = SqliteName | 'origin'

const drizzle = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** Tags of a database's migrations, oldest first. */
export function migrationTags(name: DatabaseName): string[] {
  const journal = JSON.parse(readFileSync(`${drizzle}/${name}/meta/_journal.json`, 'utf8')) as {
    entries: { tag: string }[]
  }
  return journal.entries.map(({ tag }) => tag)
}

/** Returns an empty database with the current schema, in memory. */
export function migratedSqlite(name: SqliteName): DatabaseSync {
  const sqlite = new DatabaseSync(':memory:')
  for (const tag of migrationTags(name))
    sqlite.exec(readFileSync(`${drizzle}/${name}/${tag}.sql`, 'utf8'))
  return sqlite
}
