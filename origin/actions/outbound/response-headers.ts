import { HEADER_FIELDS_MAX } from './bounds.ts'
import { OutboundError } from './outbound-error.ts'

/**
 * Reads header fields in the order received. Names are in lower case, and values have one character per byte (Fetch
 * standard, isomorphic decode).
 * @param raw alternating names and values, as provided by undici
 * @throws {OutboundError} if there are too many fields
 */
export function readResponseHeaders(raw: unknown, named: string): [string, string][] {
  const parts = Array.isArray(raw) ? (raw as (Uint8Array | string)[]) : []
  if (parts.length / 2 > HEADER_FIELDS_MAX)
    throw new OutboundError(`${named} sent more than ${HEADER_FIELDS_MAX} headers`)
  const text = (part: Uint8Array | string | undefined) => Buffer.from(part ?? '').toString('latin1')
  const fields: [string, string][] = []
  for (let i = 0; i + 1 < parts.length; i += 2)
    fields.push([text(parts[i]).toLowerCase(), text(parts[i + 1])])
  return fields
}
