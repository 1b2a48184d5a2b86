import { describe, expect, it } from 'vitest'
import {
  FAILURE,
  newReceiptKey,
  OTHER_ACCOUNT,
  payloadOf,
  signerWith,
  SUCCESS,
} from '../../shared/receipts.ts'

const KEY = newReceiptKey()
const placeOf = (receipt: string) => {
  const { series, sequence } = payloadOf(receipt)
  return { series, sequence }
}

describe('the receipts of a process', () => {
  it('form one series per account, including failed runs', () => {
    const sign = signerWith(KEY)
    const mine = [sign(), sign(FAILURE)].map(placeOf)
    const other = placeOf(sign(SUCCESS, { account: OTHER_ACCOUNT }))
    const third = placeOf(sign())
    expect([...mine, third].map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect(new Set([...mine, third].map(({ series }) => series)).size).toBe(1)
    expect(other.sequence).toBe(1)
    expect(other.series).not.toBe(third.series)
  })

  it('form another series than those of another process with the same key', () => {
    expect(placeOf(signerWith(KEY)()).series).not.toBe(placeOf(signerWith(KEY)()).series)
  })

  it('many accounts: an evicted account starts a new series and never reuses a number', () => {
    const sign = signerWith(KEY, 2)
    const first = placeOf(sign())
    const others = ['01', '02'].map((byte) => `0x${byte.repeat(32)}`)
    for (const account of others) sign(SUCCESS, { account })
    const again = placeOf(sign())
    expect(again.sequence).toBe(1)
    expect(again.series).not.toBe(first.series)
    expect(placeOf(sign(SUCCESS, { account: others[1]! })).sequence).toBe(2)
  })

  it('contain the outcome unchanged', () => {
    expect(payloadOf(signerWith(KEY)()).charged_cents).toBe(SUCCESS.charged_cents)
  })
})
