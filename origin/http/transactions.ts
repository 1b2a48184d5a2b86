import type { z } from 'zod'
import { LIST_PAGE_MAX, LISTED_DATA_MAX_BYTES } from '../../shared/limits.ts'
import {
  type ListedTransaction,
  listedTransactionsResponse,
  type TransactionRecord,
  transactionsQuery,
} from '../../shared/wire/transactions.ts'
import { readChain } from '../transactions/request.ts'
import { visibleTo } from '../transactions/rights.ts'
import type { Operation } from './operation.ts'
import { Page } from './page.ts'

/**
 * Lists the transactions of the account, or those that the usage key requested. A usage key with `can_read_account` sees
 * all of them, but cannot cancel or speed up those of others.
 */
export const transactionsOperation: Operation<undefined, z.infer<typeof transactionsQuery>> = {
  method: 'GET',
  path: '/core/v1/transactions',
  summary: `Lists transactions, newest first: those of the account, or those that the usage key requested. Without page_number and page_size, the latest ${LIST_PAGE_MAX}.`,
  auth: 'key',
  walletAuth: true,
  query: transactionsQuery,
  list: true,
  responseSchema: listedTransactionsResponse,
  statuses: [503],
  handle: async ({ principal, query, page }, { transactions }) => {
    const { id, pkp_id: pkpId, chain, state, run_id: runId } = query
    const filter = {
      ...(principal.canReadAccount ? {} : visibleTo(principal)),
      ...(id !== undefined && { id }),
      ...(pkpId !== undefined && { pkpId }),
      ...(chain !== undefined && { chain: readChain(chain) }),
      ...(state !== undefined && { state }),
      ...(runId !== undefined && { runId }),
    }
    const bounds = { offset: page.offset, limit: LIST_PAGE_MAX, ...page.limit }
    const { records, total } = await transactions.list(principal.account.hash, filter, bounds)
    const listed = new Page(records, total)
    return id === undefined ? listed.map(withoutLargeData) : listed
  },
}

function withoutLargeData(record: TransactionRecord): ListedTransaction {
  const bytes = record.data === null ? 0 : (record.data.length - 2) / 2
  return bytes <= LISTED_DATA_MAX_BYTES ? record : { ...record, data: null }
}
