/** The class of an error tells callers how to react. */

/** No endpoint returned a usable response. Callers retry the same request later. */
export class ChainUnreachableError extends Error {
  override name = 'ChainUnreachableError'
  /** Kinds of failure, in the order in which the endpoints were tried. Empty if all endpoints are in backoff. */
  readonly failures: readonly string[]
  /**
   * True if an oversized range may have caused the failure: a timeout, a broken response or an unknown error. A smaller
   * range may then succeed, but the same range may fail every time.
   */
  readonly perhapsRange: boolean
  constructor(
    message = 'no endpoint of the chain responds',
    {
      failures = [],
      perhapsRange = false,
    }: Partial<Pick<ChainUnreachableError, 'failures' | 'perhapsRange'>> = {},
  ) {
    super(message)
    this.failures = failures
    this.perhapsRange = perhapsRange
  }
}

/** The provider accepts only a smaller range, or a range with fewer logs. Never thrown for a single block. */
export class RangeRejectedError extends Error {
  override name = 'RangeRejectedError'
  /** Number of blocks that the provider claims to accept, if less than the requested number. Otherwise undefined. */
  readonly blocks: number | undefined
  constructor(blocks?: number) {
    super(blocks === undefined ? 'the range is too large' : `at most ${blocks} blocks`)
    this.blocks = blocks
  }
}

/** A node does not have a requested block, or has a different block at that height. */
export class NodeLaggingError extends Error {
  override name = 'NodeLaggingError'
}

/** Returns true if no endpoint returned what was requested, for whatever reason. */
export function isReadFailure(error: unknown): boolean {
  return (
    error instanceof ChainUnreachableError ||
    error instanceof RangeRejectedError ||
    error instanceof NodeLaggingError
  )
}
