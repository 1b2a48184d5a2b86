/** Transactions and receipts as nodes return them. */
import { detailsOf, quantity, type ScriptedBlock } from './scripted-block.ts'

export function shownTransactions(block: ScriptedBlock): object[] {
  return block.transactions.map((transaction, index) => {
    const { from, to, value, input } = detailsOf(transaction)
    return {
      ...placeOf(block, index),
      hash: transaction.hash,
      from,
      to,
      value,
      input,
      nonce: '0x0',
      gas: '0x5208',
      type: '0x2',
    }
  })
}

export function receiptsOf(block: ScriptedBlock): object[] {
  return block.transactions.map((transaction, index) => {
    const { from, to, isSuccess, gasUsed } = detailsOf(transaction)
    return {
      ...placeOf(block, index),
      transactionHash: transaction.hash,
      from,
      to,
      gasUsed,
      logs: block.logs.filter(({ transactionHash }) => transactionHash === transaction.hash),
      ...(isSuccess !== null && { status: isSuccess ? '0x1' : '0x0' }),
    }
  })
}

const placeOf = ({ hash, number }: ScriptedBlock, index: number) => ({
  blockHash: hash,
  blockNumber: quantity(number),
  transactionIndex: quantity(index),
})
