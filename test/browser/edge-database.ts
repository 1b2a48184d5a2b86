/**
 * The file in which a local stack's edge keeps its D1, written to by the tests: what comes of time (a request that has
 * expired) can be seen in a browser without a way to move the clock in what is deployed.
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** Another process writes too. */
const PATIENCE_MS = 10_000

export class EdgeDatabase {
  readonly #file: string

  /** @param stateDir of the stack, whose edge has started */
  constructor(stateDir: string) {
    const files = globSync(join(stateDir, '**', '*.sqlite'))
    const found = files.find((file) => tablesOf(file).includes('agent_requests'))
    if (found === undefined) throw new Error(`no database of the edge among ${files.length} files`)
    this.#file = found
  }

  /** @throws {Error} where the statement changes nothing */
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
