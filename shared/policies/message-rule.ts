import { encodeHex } from '../encoding/hex.ts'
import type { MessageRule } from './document.ts'
import type { Match, MatchRule } from './mismatch.ts'
import type { Message } from './request.ts'

export function compileMessageRule({ effect, messages, binary }: MessageRule): MatchRule {
  const isAny = messages === 'any'
  const entries = isAny ? [] : messages
  // Bytes are compared, because a message that is not UTF-8 also has a prefix.
  const prefixes = entries.flatMap((entry) => ('prefix' in entry ? [bytesOf(entry.prefix)] : []))
  const texts = new Set(
    entries.flatMap((entry) => ('equals' in entry ? [bytesOf(entry.equals)] : [])),
  )
  return (subject) => {
    if (subject.kind !== 'message') throw new TypeError('not a message')
    const { bytes } = subject.message
    if (texts.has(bytes)) return NO_EFFECT
    if (!isAny && !prefixes.some((prefix) => bytes.startsWith(prefix)))
      return { step: 3, code: 'message_not_allowed', reason: 'the rule does not name the message' }
    if (effect === 'allow' && !binary && isBinary(subject.message, isAny))
      return { step: 4, code: 'binary_message', reason: 'the message is not text' }
    return NO_EFFECT
  }
}

const NO_EFFECT: Match = { effect: undefined }

/** Encodes text as UTF-8 in 0x hex. */
export const bytesOf = (text: string) => `0x${encodeHex(new TextEncoder().encode(text))}`

/** Length of a hash in 0x hex. Some contract wallets accept the signature of a message as that of a hash. */
const HASH_CHARACTERS = 66

/** @param isAny true if any message is allowed, so that a requester could try hashes until one is valid text */
export function isBinary({ bytes, text }: Message, isAny: boolean): boolean {
  if (text === undefined || (isAny && bytes.length === HASH_CHARACTERS)) return true
  return /[^\P{Cc}\t\r\n]/u.test(text)
}
