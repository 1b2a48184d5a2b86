import { expect, it } from 'vitest'
import { AccountDefaults } from '../../../origin/transactions/defaults.ts'
import { onSharedDatabase } from '../db/shared-database.ts'

const [ALICE, BOB] = ['a', 'b'].map((digit) => `0x${digit.repeat(64)}`) as [string, string]

onSharedDatabase(2, (open) => {
  const defaults = (process: number) => new AccountDefaults({ db: open(process).db, now: Date.now })

  it('stores defaults by account and chain, and applies a change in every process at once', async () => {
    const most = 2n ** 256n - 1n
    await defaults(0).set(ALICE, 1, { maxFeePerGas: 30n, lowBalance: most })
    await defaults(0).set(ALICE, 8453, { lowBalance: 0n })
    await defaults(0).set(BOB, 1, { maxFeePerGas: 7n })
    expect(await defaults(1).defaultsOf(ALICE, 1)).toEqual({ maxFeePerGas: 30n, lowBalance: most })
    expect(await defaults(1).defaultsOf(BOB, 1)).toEqual({ maxFeePerGas: 7n })

    await defaults(1).set(ALICE, 1, { maxFeePerGas: 40n })
    expect(await defaults(0).defaultsOf(ALICE, 1)).toEqual({ maxFeePerGas: 40n })
    expect(await defaults(0).byChain(ALICE)).toEqual(
      new Map([
        [1, { maxFeePerGas: 40n }],
        [8453, { lowBalance: 0n }],
      ]),
    )
  })

  it('returns no limits without defaults', async () => {
    expect(await defaults(0).defaultsOf(ALICE, 2)).toEqual({})
    await defaults(0).set(ALICE, 3, { lowBalance: 1n })
    await defaults(0).set(ALICE, 3, {})
    expect(await defaults(0).defaultsOf(ALICE, 3)).toEqual({})
  })
})
