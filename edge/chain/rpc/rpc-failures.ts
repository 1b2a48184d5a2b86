/** Reasons why a chain could not be read. The class tells callers how to react. */

/** No endpoint returned a usable response. The same request is retried later. */
export class ChainAway extends Error {
  override name = 'ChainAway'
  /** The failure of each endpoint that was tried, in order. Empty if all of them are in backoff. */
  readonly failures: readonly string[]
  /**
   * True if an endpoint failed in a way that too large a range can cause: a timeout, a broken response or an unknown
   * error. The same range may never succeed, while a smaller one may.
   */
  readonly perhapsRange: boolean
  constructor(
    message = 'no endpoint of the chain answers',
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

/** The provider accepts only a smaller range, or fewer logs. Never thrown for a single block. */
export class RangeRefused extends Error {
  override name = 'RangeRefused'
  /**
   * The largest range that the provider says it accepts, in blocks. Below the number requested; undefined if not
   * stated.
   */
  readonly blocks: number | undefined
  constructor(blocks?: number) {
    super(blocks === undefined ? 'the range is too large' : `at most ${blocks} blocks`)
    this.blocks = blocks
  }
}

/** The node does not have a requested block, or has a different one at that height. */
export class NodeLags extends Error {
  override name = 'NodeLags'
}
