/** Interprets errors of wallets: codes of EIP-1193, and the errors of ethers that wrap them. */

const USER_REJECTED = 4001
/**
 * Maximum depth to which nested errors are searched. Wallets wrap a node's error in other objects; the deepest nesting
 * observed is four levels.
 */
const DEPTH_MAX = 6
const REASON_MAX_CHARACTERS = 300

export function isUserRejection(error: unknown): boolean {
  return levelsOf(error).some(({ code }) => code === USER_REJECTED || code === 'ACTION_REJECTED')
}

/** Returns the revert data in an error as 0x hex. Undefined if the error contains no revert data. */
export function revertDataOf(error: unknown): string | undefined {
  for (const { data } of levelsOf(error))
    if (typeof data === 'string' && /^0x(?:[0-9a-f]{2}){4,}$/i.test(data)) return data
  return undefined
}

export function isRevert(error: unknown): boolean {
  return (
    revertDataOf(error) !== undefined ||
    levelsOf(error).some(({ code, message }) => code === 3 || /\brevert/i.test(String(message)))
  )
}

/**
 * Returns the message of an error that proves that the wallet or its node did not execute the request. Undefined if
 * this is uncertain, for example after a lost connection or a wallet's "internal error".
 */
export function notExecutedReason(error: unknown): string | undefined {
  const found = levelsOf(error).findLast(({ code }) => NOT_EXECUTED_CODES.has(code))
  if (!found) return undefined
  // Prefers the short message, because the long message of ethers contains all data that was sent.
  const { shortMessage, message } = found
  return String(shortMessage ?? message).slice(0, REASON_MAX_CHARACTERS)
}

/**
 * Error codes that prove that a request was not executed: codes of JSON-RPC and nodes (EIP-1474), of wallets
 * (EIP-1193), and of ethers.
 */
const NOT_EXECUTED_CODES: ReadonlySet<unknown> = new Set<unknown>([
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
