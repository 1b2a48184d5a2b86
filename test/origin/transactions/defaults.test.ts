import { expect, it } from 'vitest'
import { AccountDefaults } from '../../../origin/transactions/defaults.ts'
import { transactionLanes } from '../../../origin/db/schema.ts'
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

  it('returns the balances that were read, with the threshold of the account', async () => {
    const { db } = open(0)
    const address = `0x${'c'.repeat(40)}`
    const readAt = new Date('2026-01-01T00:00:00Z')
    await db.insert(transactionLanes).values([
      { chainId: 21, address, balance: 5n, checkedAt: readAt },
      { chainId: 22, address, balance: 6n, checkedAt: readAt },
      { chainId: 23, address },
      { chainId: 21, address: `0x${'d'.repeat(40)}`, balance: 7n, checkedAt: readAt },
    ])
    await defaults(0).set(ALICE, 21, { lowBalance: 10n })
    await defaults(0).set(BOB, 22, { lowBalance: 10n })
    const balances = await defaults(1).balances(ALICE, address)
    expect(balances.toSorted((a, b) => a.chainId - b.chainId)).toEqual([
      { chainId: 21, balance: 5n, readAt, lowBalance: 10n },
      { chainId: 22, balance: 6n, readAt },
    ])
  })

  it('returns no limits without defaults', async () => {
    expect(await defaults(0).defaultsOf(ALICE, 2)).toEqual({})
    await defaults(0).set(ALICE, 3, { lowBalance: 1n })
    await defaults(0).set(ALICE, 3, {})
    expect(await defaults(0).defaultsOf(ALICE, 3)).toEqual({})
  })
})
