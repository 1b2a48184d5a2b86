import type { EventSignature } from '../signature/event-signature.ts'
import { KNOWN_EVENTS } from './known-events-table.ts'

/** Abbreviations of the most frequent types in the table of known events, which halve the size of the table. */
const TYPE_LETTERS: Record<string, string> = {
  address: 'a',
  bool: 'b',
  bytes32: 'h',
  string: 's',
  uint256: 'u',
  bytes: 'y',
}

/** Cache of known layouts, by canonical signature. The size is bounded, because signatures come from users. */
const remembered = new Map<string, readonly (readonly number[])[]>()
const REMEMBERED_MAX = 500

/**
 * Returns every layout with which published contracts declare an event. A layout is a set of indexed arguments, given
 * as ascending positions. Returns an empty list if the event is not in the table of known events.
 * @param canonical canonical signature, such as `Transfer(address,address,uint256)`
 */
export function knownLayouts({
  canonical,
}: Pick<EventSignature, 'canonical'>): readonly (readonly number[])[] {
  const known = remembered.get(canonical)
  if (known) return known
  if (remembered.size === REMEMBERED_MAX) remembered.clear()
  const layouts = search(`\n${compactEvent(canonical)} `)
  remembered.set(canonical, layouts)
  return layouts
}

function search(beginning: string): (readonly number[])[] {
  const at = KNOWN_EVENTS.indexOf(beginning)
  if (at < 0) return []
  const from = at + beginning.length
  return KNOWN_EVENTS.slice(from, KNOWN_EVENTS.indexOf('\n', from)).split(' ').map(positionsOf)
}

/** Abbreviates the types of a canonical signature as in the table of known events, for example to `Transfer(a,a,u)`. */
export function compactEvent(canonical: string): string {
  const types = canonical.indexOf('(')
  return (
    canonical.slice(0, types) +
    canonical.slice(types).replace(/\b[a-z]\w*\b/g, (type) => TYPE_LETTERS[type] ?? type)
  )
}

/**
 * Encodes the positions of indexed arguments as one base-32 digit each, since an event has at most 32 arguments. For
 * example, `01` means the first two arguments, and `-` means that no argument is indexed.
 */
export function compactLayout(indexed: readonly number[]): string {
  return indexed.map((index) => index.toString(32)).join('') || '-'
}

function positionsOf(layout: string): number[] {
  return layout === '-' ? [] : [...layout].map((digit) => Number.parseInt(digit, 32))
}
