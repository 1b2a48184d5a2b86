import { transactionChainsResponse } from '../../shared/wire/transactions.ts'
import type { Operation } from './operation.ts'

/** URLs of nodes are not shown, because they can contain keys. */
export const transactionChainsOperation: Operation = {
  method: 'GET',
  path: '/core/v1/transaction_chains',
  summary: 'Lists the chains on which wallets can send transactions.',
  auth: 'none',
  responseSchema: transactionChainsResponse,
  handle: async (_given, { transactionChains }) =>
    transactionChains
      .all()
      .map(({ name, chainId, finality }) => ({ chain: name, chain_id: chainId, finality })),
}
