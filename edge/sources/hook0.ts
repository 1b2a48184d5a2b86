import type { SignedRequest } from './scheme.ts'
import { fieldsOf } from './signature-header.ts'
import { fillTemplate } from './signed-content.ts'

/**
 * Content of Coinbase CDP's signature v1: the timestamp, the names of the signed headers, their values, and the body,
 * separated by dots.
 */
export async function hook0Content(request: SignedRequest): Promise<Uint8Array | undefined> {
  const fields = fieldsOf(request.headers['x-hook0-signature'] ?? '', ',', '=')
  const [timestamp, ...moreTimestamps] = fields.get('t') ?? []
  const [names, ...moreNames] = fields.get('h') ?? []
  if (names === undefined || moreTimestamps.length > 0 || moreNames.length > 0) return undefined
  const values = names.split(' ').map((name) => request.headers[name.toLowerCase()])
  if (values.some((value) => value === undefined)) return undefined
  return fillTemplate('{timestamp}.{names}.{values}.{body}', {
    timestamp,
    names,
    values: values.join('.'),
    body: request.body,
  })
}
