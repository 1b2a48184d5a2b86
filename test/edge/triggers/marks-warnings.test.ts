import { describe, expect, it } from 'vitest'
import { readChainEventConfig } from '../../../edge/chain/chain-event-config.ts'
import { missingIndexedWarnings } from '../../../edge/triggers/missing-indexed-warnings.ts'

const warningsOf = (event_signature: string, more = {}) =>
  missingIndexedWarnings(
    readChainEventConfig({
      chain: 'ethereum',
      contract_address: `0x${'11'.repeat(20)}`,
      event_signature,
      ...more,
    }),
  )

describe('the warning that only indexed marks determine the decoding', () => {
  it('suggests signatures for an unknown event', () => {
    expect(warningsOf('Handed(address from,address to)')).toEqual([
      'event_signature does not mark the indexed arguments, and they cannot always be inferred from logs: decode can be "ambiguous". ' +
        'Mark them as the contract declares them, for example ' +
        'Handed(address indexed from, address to) or Handed(address from, address indexed to).',
    ])
  })

  it('suggests every form that published contracts use, if they differ', () => {
    const [warning] = warningsOf('DebtMoved(address,address,uint256,address,address,uint256)')
    expect(warning).toContain(
      'DebtMoved(address indexed, address indexed, uint256, address, address indexed, uint256) or ' +
        'DebtMoved(address indexed, address, uint256, address indexed, address indexed, uint256).',
    )
  })

  it.each([
    ['with marks', 'Handed(address indexed from,address to)'],
    ['that the table has', 'Transfer(address,address,uint256)'],
    ['that the table has with all arguments indexed', 'OwnershipTransferred(address,address)'],
    ['with one argument', 'Some(uint256)'],
    ['without arguments', 'None()'],
    ['whose logs tell by the size of their data', 'Told(string,uint256)'],
    ['whose logs tell by their padding', 'Told(bytes4,address)'],
    ['too large for a sample', 'Large(uint256[4000],uint256[4000])'],
  ])('is not given for an event %s', (_, signature) => {
    expect(warningsOf(signature)).toEqual([])
  })

  it('is not given if topic filters cover all arguments', () => {
    const topic = `0x${'00'.repeat(31)}01`
    expect(warningsOf('Handed(address,address)', { topic_filters: [topic, topic] })).toEqual([])
  })
})
