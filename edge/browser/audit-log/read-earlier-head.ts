import { tryParseJson } from '../../../shared/json/try-parse-json.ts'
import type { TriggerLogHead } from '../../../shared/client/triggers/trigger-log.ts'

/**
 * Reads the head in the last line of an exported file.
 * @returns `undefined` for an empty text
 * @throws {Error} if the text contains no head
 */
export function readEarlierHead(text: string): TriggerLogHead | undefined {
  const line = text.trim().split('\n').at(-1) ?? ''
  if (line === '') return undefined
  const head = (tryParseJson(line) as { head?: Partial<TriggerLogHead> } | null | undefined)?.head
  const { sequence, sha256 } = head ?? {}
  if (typeof sequence === 'number' && (typeof sha256 === 'string' || sha256 === null))
    return { sequence, sha256 }
  throw new Error('the earlier head is not the last line of an exported file.')
}
