import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

export type FingerprintedError = {
  /** Reason of a failure outside of the action, such as `origin_lost`. Null if the action threw. */
  code: string | null
  message: string
  /** First line of the stack trace, or null. */
  frame: string | null
}

const FINGERPRINT_BYTES = 8

/**
 * Replacements that remove the varying parts of an error message, in order. Each expression takes linear time, because
 * the text comes from an action.
 */
const VARYING: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<uuid>'],
  [/"[^"\n]*"|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)/g, '<value>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/[A-Za-z0-9_-]{12,}/g, '<id>'],
  [/\d+(?:[.,]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
]

/** Returns false for words without a digit, and for long numbers, which have a placeholder of their own. */
const isIdentifier = (word: string) => /\d/.test(word) && /[A-Za-z]/.test(word)

/**
 * Returns a short hash that is equal for errors with the same cause: the same code, the same message apart from numbers,
 * hexadecimal values, IDs and quoted values, and the same function at the top of the stack. Line numbers do not count, so
 * that an edit elsewhere in the code does not split a group.
 */
export function errorFingerprint({ code, message, frame }: FingerprintedError): string {
  const text = JSON.stringify([code, normalizedMessage(message), frame && withoutPosition(frame)])
  return bytesToHex(sha256(new TextEncoder().encode(text)).subarray(0, FINGERPRINT_BYTES))
}

/** Returns the message with placeholders such as `<n>` instead of the parts that vary between occurrences. */
export function normalizedMessage(message: string): string {
  let text = message
  for (const [pattern, placeholder] of VARYING)
    text = text.replace(pattern, (found) =>
      placeholder === '<id>' && !isIdentifier(found) ? found : placeholder,
    )
  return text.trim()
}

const withoutPosition = (frame: string) => frame.replace(/(?::\d+)+/g, '').trim()
