/** Reading what wallets and nodes say when they say no: EIP-1193's codes, and ethers' around them. */

const USER_REFUSED = 4001
/** Objects inside errors of wallets that wrap a node's answer: four levels are the most that were seen. */
const DEPTH_MAX = 6
const REASON_MAX_CHARACTERS = 300

/** Whether the wallet's owner said no. */
export function isRefusedByOwner(error: unknown): boolean {
  return levelsOf(error).some(({ code }) => code === USER_REFUSED || code === 'ACTION_REJECTED')
}

/** What a contract answered as it reverted, 0x hex; `undefined` where nothing says that it did. */
export function revertDataIn(error: unknown): string | undefined {
  for (const { data } of levelsOf(error))
    if (typeof data === 'string' && /^0x(?:[0-9a-f]{2}){4,}$/i.test(data)) return data
  return undefined
}

/** Whether a node says that a call reverted, with or without the contract's words. */
export function isRevert(error: unknown): boolean {
  return (
    revertDataIn(error) !== undefined ||
    levelsOf(error).some(({ code, message }) => code === 3 || /\brevert/i.test(String(message)))
  )
}

/**
 * In its words, that a wallet or its node has not done what it was asked; `undefined` for anything that leaves that
 * open, such as a connection that broke, or a wallet's "internal error" over one.
 */
export function notDoneIn(error: unknown): string | undefined {
  const said = levelsOf(error).findLast(({ code }) => NOT_DONE.has(code))
  if (!said) return undefined
  // The long message of ethers has all that was sent in it.
  const { shortMessage, message } = said
  return String(shortMessage ?? message).slice(0, REASON_MAX_CHARACTERS)
}

/** Of JSON-RPC and of nodes (EIP-1474), of wallets (EIP-1193), and of ethers before and after it has asked. */
const NOT_DONE: ReadonlySet<unknown> = new Set<unknown>([
  -32_000,
  -32_002,
  -32_003,
  -32_010,
  -32_600,
  -32_601,
  -32_602,
  3,
  4100,
  4200,
  'INVALID_ARGUMENT',
  'MISSING_ARGUMENT',
  'NOT_IMPLEMENTED',
  'UNSUPPORTED_OPERATION',
  'INSUFFICIENT_FUNDS',
  'NONCE_EXPIRED',
  'REPLACEMENT_UNDERPRICED',
])

type Level = Record<string, unknown>

/** An error and what is inside it, the outermost first. */
function levelsOf(error: unknown): Level[] {
  const levels: Level[] = []
  let next: unknown[] = [error]
  for (let depth = 0; depth < DEPTH_MAX && next.length > 0; depth++) {
    const objects = next.filter((value) => typeof value === 'object' && value !== null) as Level[]
    levels.push(...objects)
    next = objects.flatMap(({ error: inner, info, data, cause, originalError }) => [
      inner,
      info,
      data,
      cause,
      originalError,
    ])
  }
  return levels
}
