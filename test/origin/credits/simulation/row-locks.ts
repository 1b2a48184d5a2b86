import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import * as schema from '../../../../origin/db/schema.ts'

/** Rows that a statement locks: a query for the names of existing rows, or the names of rows that it adds. */
export type Locking =
  | { table: string; query: string; skipsLocked: boolean }
  | { table: string; names: string[] }

type Table = { primary: string[]; unique: string[][] }
const tables = new Map<string, Table>()
/** Tables in which rows are deleted together with a row of another table. */
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
/** Settlement of charges in one statement (`settleFast`). */
const SETTLING =
  /^\s*WITH account AS \(.*?FROM credit_accounts WHERE account_hash = ('[^']*') FOR UPDATE.*?WHERE l\.id = ('[^']*')/s
const INSERT = /^insert into "(\w+)" \(([^)]*)\) values (.*?)( on conflict .*?)?( returning .*)?$/s

/**
 * @param text a statement as drizzle writes it, with its parameters filled in
 * @throws {Error} for a statement with unknown locks, which this file then has to support
 */
export function lockingOf(text: string): Locking[] {
  const select = SELECT.exec(text)
  if (select) {
    const [, table = '', where = '', order = '', limit = '', skip] = select
    return [{ ...rows(table, `${where}${order}${limit}`), skipsLocked: skip !== undefined }]
  }
  if (/^\(?select/.test(text) && !/ for /.test(text)) return []
  // These rows belong to an account that is already locked.
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

/** Tables that a statement names, and tables from which it may delete rows by cascade. */
export function tablesOf(text: string): string[] {
  const named: string[] = text.match(TABLES) ?? []
  return [...named, ...cascades.filter(({ from }) => named.includes(from)).map(({ to }) => to)]
}

function rows(table: string, rest: string) {
  const { primary } = tableOf(table)
  const name = primary.map((column) => `"${table}"."${column}"::text`).join(` || '/' || `)
  return { table, query: `select ${name} from "${table}"${rest}` }
}

/** Locks the keys of new rows, because another insert of the same key waits for them. */
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

/** Parses `('a', 1), ('b', 2)` into lists of literals. */
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
