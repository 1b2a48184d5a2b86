/** Errors that state why a chain could not be read. The class tells callers how to react. */

/** Thrown if no endpoint returned a usable response. Callers retry the same request later. */
export class ChainAway extends Error {
  override name = 'ChainAway'
  /** Kinds of failure of the endpoints that were tried, in order. Empty if all endpoints are in backoff. */
  readonly failures: readonly string[]
  /**
   * True if an endpoint failed in a way that an oversized range can cause: a timeout, a broken response or an unknown
   * error. A smaller range may then succeed, while the same range may fail every time.
   */
  readonly perhapsRange: boolean
  constructor(
    message = 'no endpoint of the chain responds',
    {
      failures = [],
      perhapsRange = false,
    }: Partial<Pick<ChainAway, 'failures' | 'perhapsRange'>> = {},
  ) {
    super(message)
    this.failures = failures
    this.perhapsRange = perhapsRange
  }
}

/** Thrown if the provider accepts only a smaller range, or fewer logs. Never thrown for a single block. */
export class RangeRefused extends Error {
  override name = 'RangeRefused'
  /**
   * Number of blocks that the provider claims to accept, which is below the number requested. Undefined if the provider
   * does not state it.
   */
  readonly blocks: number | undefined
  constructor(blocks?: number) {
    super(blocks === undefined ? 'the range is too large' : `at most ${blocks} blocks`)
    this.blocks = blocks
  }
}

/** Thrown if a node does not have a requested block, or has a different block at that height. */
export class NodeLags extends Error {
  override name = 'NodeLags'
}
