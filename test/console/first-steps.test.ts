import { describe, expect, it } from 'vitest'
import { madeOf } from '../../edge/console/console/start/found.ts'

const wallet = (name: string, digit: string) => ({
  name,
  pkp_id: `0x${digit.repeat(64)}`,
  wallet_address: `0x${digit.repeat(40)}`,
})

describe('what is found of the first steps', () => {
  it('in a new account is nothing', () => {
    expect(madeOf([])).toEqual({})
  })

  it('is the wallet that they make, and no other', () => {
    expect(madeOf([wallet('Treasury', '1'), wallet('First wallet', '2')])).toEqual({
      wallet: { address: `0x${'2'.repeat(40)}`, pkpId: `0x${'2'.repeat(64)}` },
    })
    expect(madeOf([wallet('Treasury', '1'), wallet('first wallet ', '2')])).toEqual({})
  })
})
