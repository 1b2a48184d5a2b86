/**
 * Upper bounds of the gas of the writes that are free for callers, about a fifth above the figures of `npm run bench --
 * gas`. The gas budget reserves this amount before a write is sent.
 */

export const CONVERSION_GAS = 185_000n

const NEW_ACCOUNT_GAS = 130_000n

/** Storing and checking 32 bytes of text. */
const TEXT_SLOT_GAS = 33_000n

/** Bytes of text that share a slot with other fields, which every account has: `ACCOUNT_START` of the contract. */
const FREE_TEXT_BYTES = 16

export function newAccountGas(...texts: readonly string[]): bigint {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const slots = Math.max(0, Math.ceil((bytes - FREE_TEXT_BYTES) / 32))
  return NEW_ACCOUNT_GAS + BigInt(slots) * TEXT_SLOT_GAS
}
