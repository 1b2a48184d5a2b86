import { describe, expect, it } from 'vitest'
import { describeChange } from '../../edge/browser/policies/describe-change.ts'
import { sumRows, withEmptySums } from '../../edge/browser/policies/sum-rows.ts'
import { parsePolicy } from '../../shared/policies/policy.ts'

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const PAYEE = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const OTHER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'

type Changed = { max?: string; addresses?: string[]; delay?: number; order?: boolean }

function policyOf({ max = '100000000', addresses = [PAYEE, OTHER], delay, order }: Changed = {}) {
  const rules = [
    {
      name: 'pay',
      effect: 'allow',
      kind: 'transaction',
      chains: [1],
      to: [USDC],
      calls: [
        {
          function: 'transfer(address to, uint256 amount)',
          conditions: [{ path: 'to', in: ['@recipients'] }],
        },
      ],
      sums: ['USDC a day', 'payments'],
    },
    { name: 'greet', effect: 'allow', kind: 'message', messages: [{ prefix: 'greetings' }] },
  ]
  return parsePolicy(
    JSON.stringify({
      version: 1,
      ...(delay !== undefined && { change_delay_s: delay }),
      tokens: [
        { name: 'USDC', chain: 1, address: USDC, decimals: 6 },
        { name: 'Raw', chain: 7, address: PAYEE },
      ],
      lists: [{ name: 'recipients', addresses }],
      sums: [
        { name: 'USDC a day', of: 'tokens', tokens: ['USDC', 'Raw'], window_s: 86_400, max },
        { name: 'payments', of: 'signatures', window_s: 3_600, max: '5' },
        { name: 'gas', of: 'native_spend', window_s: 60, max: '500000000000000000' },
      ],
      rules: order ? rules.toReversed() : rules,
    }),
  )
}

describe('the picture of the sums', () => {
  const { document } = policyOf()
  const key = `USDC a day/1/${USDC}`
  const state = { sum: 'USDC a day', key, max: '100000000', window_s: 86_400 }

  it('shows used, added and remaining amounts in whole tokens', () => {
    const [row] = sumRows(document, [{ ...state, remaining: '70000000', added: '20000000' }])
    expect(row).toMatchObject({
      name: 'USDC a day',
      counted: 'USDC on Ethereum',
      text: '20 added. 70 of 100 USDC left in a window of 1 day.',
      used: 10,
      added: 20,
    })
  })

  it('includes sums that are still empty, of each token', () => {
    const rows = sumRows(document, withEmptySums(document, [{ ...state, remaining: '1' }]))
    expect(rows.map(({ name, counted, text }) => [name, counted, text])).toEqual([
      ['USDC a day', 'USDC on Ethereum', '0.000001 of 100 USDC left in a window of 1 day.'],
      [
        'USDC a day',
        'Raw on chain 7',
        '100,000,000 of 100,000,000 units of Raw left in a window of 1 day.',
      ],
      ['payments', 'Signatures', '5 of 5 signatures left in a window of 1 hour.'],
      [
        'gas',
        'Native coin with fees on each chain',
        '0.5 of 0.5 native coins left in a window of 1 minute.',
      ],
    ])
  })

  it('shows a sum whose maximum was lowered below what is used as full', () => {
    const [row] = sumRows(document, [{ ...state, max: '10', remaining: '0' }])
    expect(row).toMatchObject({ used: 100, added: 0 })
  })

  it('never shows something that is used as nothing', () => {
    const [row] = sumRows(document, [{ ...state, remaining: '99999999' }])
    expect(row!.used).toBe(0.5)
  })
})

describe('the change of a policy', () => {
  it('is none if only the form of the document differs', () => {
    expect(describeChange(policyOf(), policyOf())).toBeUndefined()
  })

  it('takes effect at once if it tightens', () => {
    const change = describeChange(policyOf({ delay: 60 }), policyOf({ delay: 60, max: '99' }))
    expect(change).toMatchObject({ isTightening: true, delayS: 0 })
    expect(change!.removed).toEqual([expect.stringMatching(/^Sum USDC a day: at most 100000000 /)])
    expect(change!.added).toEqual([expect.stringMatching(/^Sum USDC a day: at most 99 /)])
  })

  it('waits for the delay of the old policy if it loosens', () => {
    const change = describeChange(policyOf({ delay: 60 }), policyOf({ max: '100000001' }))
    expect(change).toMatchObject({ isTightening: false, delayS: 60 })
  })

  it('hidden change: names the addresses of a list, which no rule shows', () => {
    const change = describeChange(policyOf({ addresses: [PAYEE] }), policyOf())
    expect(change!.added.join()).toContain(OTHER)
    expect(change).toMatchObject({ isTightening: false })
  })

  it('states that only the order differs', () => {
    expect(describeChange(policyOf(), policyOf({ order: true }))).toMatchObject({
      removed: [],
      added: [],
    })
  })
})
