const FIX =
  'Send a block number: an integer, a string of decimal digits, or 0x and hex digits. Omit it to start at the head.'

/** Validates a start block. `number` is null if no start block is set. */
export function readStartBlock(
  block: unknown,
): { number: number | null } | { problem: string; fix: string } {
  if (block === undefined || block === null) return { number: null }
  const isText = typeof block === 'string' && /^([0-9]{1,32}|0x[0-9a-fA-F]{1,32})$/.test(block)
  if (typeof block !== 'number' && !isText)
    return { problem: 'expected an integer, or a string of decimal or hex digits', fix: FIX }
  const number = Number(block)
  if (!Number.isInteger(number) || number < 0)
    return { problem: 'expected a non-negative integer', fix: FIX }
  if (!Number.isSafeInteger(number)) return { problem: 'too large for a block number', fix: FIX }
  return { number }
}
