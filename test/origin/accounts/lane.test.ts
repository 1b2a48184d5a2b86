import { type JsonRpcProvider, SigningKey, Transaction, type TransactionReceipt } from 'ethers'
import { expect, it } from 'vitest'
import type { GasMarket } from '../../../origin/accounts/writer/fees.ts'
import { GasPayer, type WriteRequest } from '../../../origin/accounts/writer/gas-payer.ts'
import type {
  NewWrite,
  WriteOutbox,
  WriteRow,
} from '../../../origin/accounts/writer/write-outbox.ts'
import { signTransaction } from '../../../origin/accounts/writer/transaction.ts'

const PRIVATE_KEY = `0x${'11'.repeat(32)}`
const FEES = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
const CALL = { to: `0x${'22'.repeat(20)}`, data: '0x', value: 0n, gasLimit: 21_000n }

const order = (writeId: string): WriteRequest => ({ ...CALL, writeId, functionName: 'addGroup' })

/** An outbox row with a transaction that is in no block. */
function sentRow(nonce: number): WriteRow {
  const { serialized } = signTransaction(
    new SigningKey(PRIVATE_KEY),
    { ...CALL, chainId: 1n },
    nonce,
    FEES,
  )
  return {
    writeId: `write ${nonce}`,
    functionName: 'addGroup',
    payer: 1,
    nonce,
    transactions: [serialized],
    state: 'sent',
    processId: 'another process',
    minedHash: null,
    minedBlock: null,
    createdAt: new Date(0),
    endedAt: null,
    audit: null,
  }
}

/** A lane whose payer has `mined` transactions in blocks and these unsettled rows in the outbox. */
function laneOf(mined: number, unsettled: WriteRow[]) {
  const recorded: NewWrite[] = []
  const resigned: NewWrite[] = []
  const broadcast: number[] = []
  const outbox = {
    unsettled: async () => unsettled,
    record: async (write: NewWrite) => {
      recorded.push(write)
      return 'recorded'
    },
    recordReplacement: async (write: NewWrite) => {
      resigned.push(write)
      return true
    },
  } as unknown as WriteOutbox
  const provider = {
    getTransactionCount: async () => mined,
    getBalance: async () => 10n ** 18n,
    send: async (_: string, [raw]: [string]) => void broadcast.push(Transaction.from(raw).nonce),
  } as unknown as JsonRpcProvider
  const market = { current: async () => FEES } as unknown as GasMarket
  const lane = new GasPayer({
    number: 1,
    privateKey: PRIVATE_KEY,
    chainId: 1n,
    provider,
    outbox,
    market,
  })
  return { lane, recorded, resigned, broadcast }
}

it('double effect: does not sign a write again that was mined in the meantime', async () => {
  const { lane, resigned, broadcast } = laneOf(6, [sentRow(5)])
  await lane.reload()
  const [write] = lane.sent
  write!.receipt = {} as TransactionReceipt
  for (const what of ['fees', 'nonce'] as const)
    expect(await lane.replaceTransaction(write!, FEES, what)).toBe(false)
  expect([resigned, broadcast]).toEqual([[], []])
})

it('fills gaps between unsettled nonces before appending', async () => {
  const { lane, recorded, broadcast } = laneOf(5, [sentRow(6), sentRow(8)])
  for (const writeId of ['a', 'b', 'c']) await lane.send(order(writeId))
  expect(recorded.map(({ nonce }) => nonce)).toEqual([5, 7, 9])
  expect(broadcast).toEqual([5, 7, 9])
})
