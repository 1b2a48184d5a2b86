/** Why a chain could not be read. What to do is a property of the type, decided where it is thrown. */

/** No endpoint has answered usably: the same question is asked again later. */
export class ChainAway extends Error {
  override name = 'ChainAway'
}

/** The provider takes a smaller range, or gives fewer logs. */
export class RangeRefused extends Error {
  override name = 'RangeRefused'
  /** The largest number of blocks that it says it would take; `undefined` where it does not say. */
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
