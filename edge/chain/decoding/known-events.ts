import { memoize } from '../../memoize.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import knownEvents from './known-events.json' with { type: 'json' }

/** Abbreviations of frequent types, which halve the size of the table of known events. */
const TYPE_LETTERS: Record<string, string> = {
  address: 'a',
  bool: 'b',
  bytes32: 'h',
  string: 's',
  uint256: 'u',
  bytes: 'y',
}

const CACHED_MAX = 500

const layoutsOf = memoize(CACHED_MAX, (canonical): readonly (readonly number[])[] => {
  const beginning = `\n${compactEvent(canonical)} `
  const at = knownEvents.rows.indexOf(beginning)
  if (at < 0) return []
  const from = at + beginning.length
  return knownEvents.rows
    .slice(from, knownEvents.rows.indexOf('\n', from))
    .split(' ')
    .map(positionsOf)
})

/**
 * Returns every set of indexed arguments with which published contracts declare an event, as ascending positions. Empty
 * if the event is not in the table of known events.
 */
export function knownLayouts({
  canonical,
}: Pick<EventSignature, 'canonical'>): readonly (readonly number[])[] {
  return layoutsOf(canonical)
}

/** Abbreviates a canonical signature as in the table of known events, for example to `Transfer(a,a,u)`. */
export function compactEvent(canonical: string): string {
  const types = canonical.indexOf('(')
  return (
    canonical.slice(0, types) +
    canonical.slice(types).replace(/\b[a-z]\w*\b/g, (type) => TYPE_LETTERS[type] ?? type)
  )
}

/**
 * Encodes positions of indexed arguments, one base-32 digit each, since an event has at most 32 arguments. `01` means
 * that the first two arguments are indexed, and `-` that no argument is indexed.
 */
export function compactLayout(indexed: readonly number[]): string {
  return indexed.map((index) => index.toString(32)).join('') || '-'
}

function positionsOf(layout: string): number[] {
  return layout === '-' ? [] : [...layout].map((digit) => Number.parseInt(digit, 32))
}
