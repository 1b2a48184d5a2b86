/**
 * Upper bounds of the gas of the writes that are free for callers, about a fifth above the figures of `npm run bench --
 * gas`. The gas budget reserves this amount before a write is sent.
 */

export const CONVERSION_GAS = 215_000n

const NEW_ACCOUNT_GAS = 160_000n

/** Storing and checking 32 bytes of text. */
const TEXT_SLOT_GAS = 33_000n

export function newAccountGas(...texts: readonly string[]): bigint {
  const slots = texts.reduce((sum, text) => sum + textSlots(Buffer.byteLength(text)), 0)
  return NEW_ACCOUNT_GAS + BigInt(slots) * TEXT_SLOT_GAS
}

/** A text of up to 31 bytes shares a slot with its length, which every account has. */
function textSlots(bytes: number): number {
  return bytes < 32 ? 0 : Math.ceil(bytes / 32)
}
