/** Why a chain could not be read. What to do is a property of the type, decided where it is thrown. */

/** No endpoint has answered usably: the same question is asked again later. */
export class ChainAway extends Error {
  override name = 'ChainAway'
  /** What was the matter with each endpoint that was asked, in this order; none where all are left alone for now. */
  readonly failures: readonly string[]
  /**
   * An endpoint failed in a way in which too large a range can fail (it took too long, broke off, or answered an error
   * that nobody knows): the same range will perhaps never be answered, and a smaller one will.
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

/** The provider takes a smaller range, or gives fewer logs. Never thrown for a single block. */
export class RangeRefused extends Error {
  override name = 'RangeRefused'
  /** The largest number of blocks that it says it would take, less than were asked; `undefined` where it does not say. */
  readonly blocks: number | undefined
  constructor(blocks?: number) {
    super(blocks === undefined ? 'the range is too large' : `at most ${blocks} blocks`)
    this.blocks = blocks
  }
}

/** The node does not have a block that was asked for, or has another one at its place. */
export class NodeLags extends Error {
  override name = 'NodeLags'
}
