import { joinBytes } from '../../shared/encoding/bytes.ts'
import type { SignatureScheme, SignedRequest } from './scheme.ts'

/**
 * Returns the bytes that the sender signed, or undefined if a part is missing.
 * @param timestamp the timestamp as the sender wrote it
 */
export async function signedContent(
  { content }: SignatureScheme,
  request: SignedRequest,
  timestamp: string | undefined,
): Promise<Uint8Array | undefined> {
  if (typeof content === 'function') return content(request)
  const { body, headers, method, url } = request
  return fillTemplate(content, { ...headers, body, method, timestamp, url })
}

type Parts = Readonly<Record<string, string | Uint8Array | undefined>>

/** @example fillTemplate('v0:{timestamp}:{body}', { timestamp: '1', body }) */
export function fillTemplate(template: string, parts: Parts): Uint8Array | undefined {
  const filled: Uint8Array[] = []
  for (const [at, text] of template.split(/[{}]/).entries()) {
    // The odd elements are the names in braces.
    const part = at % 2 === 0 ? text : Object.hasOwn(parts, text) ? parts[text] : undefined
    if (part === undefined) return undefined
    filled.push(typeof part === 'string' ? new TextEncoder().encode(part) : part)
  }
  return joinBytes(...filled)
}
