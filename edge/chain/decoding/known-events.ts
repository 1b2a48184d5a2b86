import type { EventSignature } from '../signature/event-signature.ts'
import { parseEventSignature } from '../signature/parse-event-signature.ts'
import { ACCOUNT_EVENTS } from './known/accounts.ts'
import { BRIDGE_EVENTS } from './known/bridges.ts'
import { EXCHANGE_EVENTS } from './known/exchanges.ts'
import { GOVERNANCE_EVENTS } from './known/governance.ts'
import { LENDING_EVENTS } from './known/lending.ts'
import { MARKETPLACE_EVENTS } from './known/marketplaces.ts'
import { NAME_EVENTS } from './known/names.ts'
import { ORACLE_EVENTS } from './known/oracles.ts'
import { STAKING_EVENTS } from './known/staking.ts'
import { TOKEN_EVENTS } from './known/tokens.ts'

/**
 * Events of well-known contracts, as they declare them, a line each. Only those that index some of their arguments: of all
 * others the count of topics says which.
 */
export const KNOWN_DECLARATIONS: readonly string[] = [
  ACCOUNT_EVENTS,
  BRIDGE_EVENTS,
  EXCHANGE_EVENTS,
  GOVERNANCE_EVENTS,
  LENDING_EVENTS,
  MARKETPLACE_EVENTS,
  NAME_EVENTS,
  ORACLE_EVENTS,
  STAKING_EVENTS,
  TOKEN_EVENTS,
].flatMap((lines) => lines.trim().split('\n'))

/** By name, as they were asked for: reading all of them would cost tens of milliseconds. */
const read = new Map<string, ReadonlyMap<string, readonly number[]>>()

/**
 * Which arguments a well-known event indexes. No two contracts are known that declare the same types with as many
 * indexed, and others (`reference/triggers.md`, 4.4).
 * @param count indexed arguments, which the log's topics say
 */
export function knownIndexed(
  { name, canonical }: EventSignature,
  count: number,
): readonly number[] | undefined {
  let named = read.get(name)
  if (!named) {
    const declarations = KNOWN_DECLARATIONS.filter((line) => line.startsWith(`${name}(`))
    // Names come from outside: what is not known is not remembered.
    if (declarations.length === 0) return undefined
    named = new Map(declarations.map(entryOf))
    read.set(name, named)
  }
  return named.get(`${canonical} ${count}`)
}

function entryOf(declaration: string): [string, readonly number[]] {
  const { canonical, inputs } = parseEventSignature(declaration)
  const indexed = [...inputs.keys()].filter((index) => inputs[index]!.indexed)
  return [`${canonical} ${indexed.length}`, indexed]
}
