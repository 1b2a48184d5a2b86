/**
 * Generates `edge/chain/decoding/known-events.json` (`npm run event-table`). The table contains only facts about
 * published contracts: event names, argument types and indexed positions. No ABI and no source code is copied.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEventSignature } from '../edge/chain/signature/parse-event-signature.ts'
import { compactEvent, compactLayout } from '../edge/chain/decoding/known-events.ts'
import { abiEvents } from './event-table/abi-events.ts'
import type { EventLayout } from './event-table/event-layout.ts'
import { SoliditySources } from './event-table/solidity-events.ts'

const here = fileURLToPath(new URL('event-table/', import.meta.url))
const TABLE = fileURLToPath(new URL('../edge/chain/decoding/known-events.json', import.meta.url))

/** Folders with test contracts, whose events are never deployed. */
const UNUSED_FOLDER =
  /(?:^|\/)(?:tests?|mocks?|examples?|node_modules|certora|echidna|fuzz|forge-std|ds-test)\//i
const UNUSED_FILE = /mock|test|harness|\.t\.sol$/i

/** npm packages that are searched for events, each with its version. */
export function packages(): string[] {
  return linesOf('packages.txt')
}

/** Event declarations of contracts that are not in any npm package. */
export function declared(): string[] {
  return linesOf('declared.txt')
}

/** Sorted rows of an event and its sets of indexed positions, for example `Transfer(a,a,u) 01 012`. */
export function rowsOf(layouts: readonly EventLayout[]): string[] {
  const rows = new Map<string, Set<string>>()
  for (const { canonical, indexed } of layouts) {
    const { inputs, canonical: checked } = parseEventSignature(canonical)
    if (checked !== canonical) throw new Error(`${canonical} is not canonical`)
    // With a single argument, the number of topics in a log already shows whether it is indexed.
    if (inputs.length < 2) continue
    const event = compactEvent(canonical)
    rows.set(event, (rows.get(event) ?? new Set()).add(compactLayout(indexed)))
  }
  return [...rows].map(([event, found]) => [event, ...[...found].toSorted()].join(' ')).toSorted()
}

export function digestOf(table: string): string {
  return createHash('sha256').update(table).digest('hex')
}

function eventsOf(name: string, folder: string): EventLayout[] {
  const packed = ['pack', name, '--silent', '--pack-destination', folder]
  const file = execFileSync('npm', packed, { encoding: 'utf8' }).trim().split('\n').at(-1)!
  const unpacked = join(folder, 'unpacked')
  rmSync(unpacked, { recursive: true, force: true })
  mkdirSync(unpacked)
  execFileSync('tar', ['xzf', join(folder, file), '-C', unpacked])
  const sources = new SoliditySources()
  const events: EventLayout[] = []
  for (const path of filesIn(unpacked)) {
    const text = readFileSync(join(unpacked, path), 'utf8')
    if (path.endsWith('.sol')) sources.add({ path, text })
    else events.push(...abiEvents(text))
  }
  return [...events, ...sources.events()]
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:sol|json)$/.test(entry.name))
    .filter((entry) => !UNUSED_FILE.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !UNUSED_FOLDER.test(path))
    .toSorted()
}

function linesOf(name: string): string[] {
  const lines = readFileSync(here + name, 'utf8').split('\n')
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
}

function layoutOfDeclaration(declaration: string): EventLayout {
  const { canonical, inputs } = parseEventSignature(declaration)
  return { canonical, indexed: [...inputs.keys()].filter((index) => inputs[index]!.indexed) }
}

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'event-table-'))
  try {
    const published = packages().flatMap((name) => eventsOf(name, folder))
    const rows = `\n${rowsOf([...declared().map(layoutOfDeclaration), ...published]).join('\n')}\n`
    writeFileSync(TABLE, `${JSON.stringify({ sha256: digestOf(rows), rows }, null, 2)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) main()
