import { describe, expect, it } from 'vitest'
import { resultsFromWallets } from '../../edge/browser/console/start/first-steps.ts'

const wallet = (name: string, digit: string) => ({
  name,
  pkp_id: `0x${digit.repeat(64)}`,
  wallet_address: `0x${digit.repeat(40)}`,
})

describe('completed first steps', () => {
  it('are empty for a new account', () => {
    expect(resultsFromWallets([])).toEqual({})
  })

  it('include only the wallet that the first steps create', () => {
    expect(resultsFromWallets([wallet('Treasury', '1'), wallet('First wallet', '2')])).toEqual({
      wallet: { address: `0x${'2'.repeat(40)}`, pkpId: `0x${'2'.repeat(64)}` },
    })
    expect(resultsFromWallets([wallet('Treasury', '1'), wallet('first wallet ', '2')])).toEqual({})
  })
})
