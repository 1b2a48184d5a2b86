import { LIST_PAGE_MAX } from '../../../shared/limits.ts'
import type { ListedTransaction } from '../../../shared/wire/transactions.ts'
import type { TransactionOperations } from './operations.ts'

/** Reads the latest transactions, in one request if possible. */
export async function readFirst(
  operations: Pick<TransactionOperations, 'list'>,
  filter: { pkp_id: string },
  count: number,
): Promise<ListedTransaction[]> {
  const read: ListedTransaction[] = []
  const page_size = Math.min(count, LIST_PAGE_MAX)
  for await (const transaction of operations.list({ ...filter, page_size })) {
    read.push(transaction)
    if (read.length === count) break
  }
  return read
}
