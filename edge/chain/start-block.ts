const FIX =
  'Send a block’s number: an integer, its decimal digits as a string, or 0x and hex digits. Leave it out to begin at the head.'

/**
 * Parses `start_block`.
 * @returns the block number, or null if none is set
 */
export function readStartBlock(
  block: unknown,
): { number: number | null } | { problem: string; fix: string } {
  if (block === undefined || block === null) return { number: null }
  const isText = typeof block === 'string' && /^([0-9]{1,32}|0x[0-9a-fA-F]{1,32})$/.test(block)
  if (typeof block !== 'number' && !isText)
    return { problem: 'expected an integer, or one as decimal or hex digits', fix: FIX }
  const number = Number(block)
  if (!Number.isInteger(number) || number < 0)
    return { problem: 'expected an integer from 0 on', fix: FIX }
  if (!Number.isSafeInteger(number)) return { problem: 'no chain has so many blocks', fix: FIX }
  return { number }
}
