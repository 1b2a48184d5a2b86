import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import * as schema from '../../../../origin/db/schema.ts'

/** Which rows a statement locks: a query for the names of rows that are there, or the names of those that it adds. */
export type Locking =
  | { table: string; query: string; skipsLocked: boolean }
  | { table: string; names: string[] }

type Table = { primary: string[]; unique: string[][] }
const tables = new Map<string, Table>()
/** Tables whose rows are deleted with a row of another one. */
const cascades: { from: string; to: string }[] = []
for (const table of Object.values(schema))
  if (is(table, PgTable)) {
    const { name, primaryKeys, foreignKeys } = getTableConfig(table)
    const columns = Object.values(getTableColumns(table))
    const alone = columns.filter(({ primary }) => primary).map((column) => [column.name])
    const primary = primaryKeys[0]?.columns.map((column) => column.name) ?? alone[0] ?? []
    const unique = columns.filter(({ isUnique }) => isUnique).map((column) => [column.name])
    tables.set(name, { primary, unique: [primary, ...unique] })
    for (const { onDelete, reference } of foreignKeys)
      if (onDelete === 'cascade')
        cascades.push({ from: getTableConfig(reference().foreignTable).name, to: name })
  }
const TABLES = new RegExp(String.raw`\b(?:${[...tables.keys()].join('|')})\b`, 'g')

const SELECT =
  /^select .*? from "(\w+)"(.*?)( order by .*?)?( limit .*?)? for (?:no key )?update( skip locked)?$/s
const UPDATE = /^update "(\w+)" set .*?( where .*?)?( returning .*)?$/s
const DELETE = /^delete from "(\w+)"( where .*?)?( returning .*)?$/s
/** Charges that are settled in one statement (`plain-settlement.ts`). */
const SETTLING =
  /^\s*WITH account AS \(.*?FROM credit_accounts WHERE account_hash = ('[^']*') FOR UPDATE.*?WHERE l\.id = ('[^']*')/s
const INSERT = /^insert into "(\w+)" \(([^)]*)\) values (.*?)( on conflict .*?)?( returning .*)?$/s

/**
 * @param text a statement as drizzle writes it, its parameters filled in
 * @throws {Error} for a statement whose locks are not known: then this file has to learn it
 */
export function lockingOf(text: string): Locking[] {
  const select = SELECT.exec(text)
  if (select) {
    const [, table = '', where = '', order = '', limit = '', skip] = select
    return [{ ...rows(table, `${where}${order}${limit}`), skipsLocked: skip !== undefined }]
  }
  if (/^\(?select/.test(text) && !/ for /.test(text)) return []
  // Its rows are an account's, whose lock is held.
  if (/^\s*insert into "(?:window_sums|usage_days)"/i.test(text)) return []
  const insert = INSERT.exec(text)
  if (insert) return [added(insert[1]!, insert[2]!, insert[3]!)]
  const change = UPDATE.exec(text) ?? DELETE.exec(text)
  if (change) return [{ ...rows(change[1]!, change[2] ?? ''), skipsLocked: false }]
  const settling = SETTLING.exec(text)
  if (settling)
    return [
      { ...rows('credit_accounts', ` where "account_hash" = ${settling[1]}`), skipsLocked: false },
      { ...rows('credit_leases', ` where "id" = ${settling[2]}`), skipsLocked: false },
    ]
  throw new Error(`the simulation does not know what this locks: ${text}`)
}

/** Tables that a statement names, and those whose rows it may delete with theirs. */
export function tablesOf(text: string): string[] {
  const named: string[] = text.match(TABLES) ?? []
  return [...named, ...cascades.filter(({ from }) => named.includes(from)).map(({ to }) => to)]
}

function rows(table: string, rest: string) {
  const { primary } = tableOf(table)
  const name = primary.map((column) => `"${table}"."${column}"::text`).join(` || '/' || `)
  return { table, query: `select ${name} from "${table}"${rest}` }
}

/** A row that is being added is waited for by who would add one of the same key. */
function added(table: string, columns: string, values: string): Locking {
  const names = columns.split(',').map((column) => column.trim().replaceAll('"', ''))
  const { unique } = tableOf(table)
  const keys = tuples(values).flatMap((tuple) =>
    unique
      .filter((key) => key.every((column) => tuple[names.indexOf(column)] !== 'default'))
      .map((key) => {
        const of = key.map((column) => tuple[names.indexOf(column)]?.replaceAll(/^'|'$/g, ''))
        return key === unique[0] ? of.join('/') : `${key.join()}=${of.join('/')}`
      }),
  )
  return { table, names: keys }
}

/** `('a', 1), ('b', 2)` as lists of their literals. */
function tuples(values: string): string[][] {
  const found: string[][] = []
  let current: string[] | undefined
  for (const [token] of values.matchAll(/'(?:[^']|'')*'|[(),]|[^\s(),']+/g)) {
    if (token === '(') current = []
    else if (token === ')') {
      if (current) found.push(current)
      current = undefined
    } else if (token !== ',') current?.push(token)
  }
  return found
}

function tableOf(name: string): Table {
  const table = tables.get(name)
  if (!table) throw new Error(`the simulation does not know the table ${name}`)
  return table
}
