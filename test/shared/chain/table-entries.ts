/** Expands entries of the known-events table to signatures for ethers and our parser. */
import type { EventSignature } from '../../../edge/chain/signature/event-signature.ts'
import { signatureWithIndexed } from '../../../edge/chain/signature/signature-with-indexed.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'

const TYPES: Record<string, string> = {
  a: 'address',
  b: 'bool',
  h: 'bytes32',
  s: 'string',
  u: 'uint256',
  y: 'bytes',
}

/** @returns a signature with `indexed` markers for each layout of each row */
export function tableEntries(table: string): EventSignature[] {
  return rowsOf(table).flatMap((row) => {
    const [event, ...layouts] = row.split(' ')
    const types = event!.indexOf('(')
    const written = event!.slice(types).replace(/\b[a-z]\b/g, (letter) => TYPES[letter]!)
    const signature = parseEventSignature(event!.slice(0, types) + written)
    return layouts.map((layout) => {
      const indexed = layout === '-' ? [] : [...layout].map((digit) => Number.parseInt(digit, 32))
      return parseEventSignature(signatureWithIndexed(signature, indexed))
    })
  })
}

export const rowsOf = (table: string) => table.trim().split('\n')
