/**
 * Writes to the D1 database file of a local stack's edge. Tests use it for effects of time, such as an expired request,
 * because the deployed code has no way to move the clock.
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

// The edge writes to the file too.
const PATIENCE_MS = 10_000

export class EdgeDatabase {
  readonly #file: string

  /** @param stateDir of a stack with a running edge */
  constructor(stateDir: string) {
    const files = globSync(join(stateDir, '**', '*.sqlite'))
    const found = files.find((file) => tablesOf(file).includes('agent_requests'))
    if (found === undefined) throw new Error(`no database of the edge among ${files.length} files`)
    this.#file = found
  }

  /** @throws {Error} if the statement changes nothing */
  run(statement: string, values: SQLInputValue[]): void {
    const database = new DatabaseSync(this.#file, { timeout: PATIENCE_MS })
    try {
      const { changes } = database.prepare(statement).run(...values)
      if (changes === 0) throw new Error(`nothing was changed: ${statement}`)
    } finally {
      database.close()
    }
  }
}

function tablesOf(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: PATIENCE_MS })
  try {
    return database
      .prepare('select name from sqlite_master')
      .all()
      .map(({ name }) => name)
  } finally {
    database.close()
  }
}
