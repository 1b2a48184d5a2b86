/** Compares what the database says of transactions with what the chain did. */
import { asc } from 'drizzle-orm'
import type { Database } from '../../../../origin/db/open.ts'
import { transactionAttempts, transactions } from '../../../../origin/db/schema.ts'
import type { MinedTransaction } from './disturbed-chain.ts'

export type TransactionRow = typeof transactions.$inferSelect

export type History = {
  rows: readonly TransactionRow[]
  attempts: readonly (typeof transactionAttempts.$inferSelect)[]
}

export async function historyOf(db: Database): Promise<History> {
  return {
    rows: await db.select().from(transactions).orderBy(asc(transactions.sequence)),
    attempts: await db.select().from(transactionAttempts),
  }
}

/**
 * Returns what is wrong, once all transactions have ended.
 * @param mined all transactions of the wallets in the chain's blocks
 * @param isForeign true for the hash of a transaction that was signed elsewhere
 */
export function contradictions(
  { rows, attempts }: History,
  mined: readonly MinedTransaction[],
  isForeign: (hash: string) => boolean = () => false,
): string[] {
  const found: string[] = []
  const byHash = new Map(mined.map((transaction) => [transaction.hash, transaction]))
  const attemptOf = new Map(attempts.map((attempt) => [attempt.hash, attempt]))
  const effects = new Map<string, MinedTransaction[]>()
  for (const transaction of mined) {
    if (isForeign(transaction.hash)) continue
    const attempt = attemptOf.get(transaction.hash)
    if (!attempt) {
      found.push(`${transaction.hash} is mined and not in the history`)
      continue
    }
    const of = effects.get(attempt.transactionId) ?? []
    effects.set(attempt.transactionId, [...of, transaction])
  }
  const foreign = mined.filter(({ hash }) => isForeign(hash))
  for (const row of rows)
    found.push(...ofRow(row, effects.get(row.id) ?? [], byHash, attemptOf, foreign))
  return [...found, ...gaps(rows, attempts, foreign)]
}

function ofRow(
  row: TransactionRow,
  mined: readonly MinedTransaction[],
  byHash: ReadonlyMap<string, MinedTransaction>,
  attemptOf: ReadonlyMap<string, History['attempts'][number]>,
  foreign: readonly MinedTransaction[],
): string[] {
  const other = foreign.find(({ from, nonce }) => from === row.address && nonce === row.nonce)
  const { id, state, minedHash } = row
  const wrong = (what: string) => `${id} (${state}, nonce ${row.nonce}) ${what}`
  const found: string[] = []
  if (mined.length > 1) found.push(wrong(`was mined ${mined.length} times`))
  if (row.endedAt === null) found.push(wrong('has not ended'))
  const [only] = mined
  const isCancel = only && attemptOf.get(only.hash)?.kind === 'cancel'
  const isPayment = only && !isCancel
  if (only && only.hash !== minedHash)
    found.push(wrong(`was mined as ${only.hash}, not ${minedHash}`))
  if (minedHash !== null && !byHash.has(minedHash))
    found.push(wrong(`names ${minedHash}, which is not mined`))
  if (only && minedHash === only.hash) {
    if (row.minedBlock !== only.block || row.minedBlockHash !== only.blockHash)
      found.push(
        wrong(
          `names block ${row.minedBlock} ${row.minedBlockHash}, not ${only.block} ${only.blockHash}`,
        ),
      )
    if (row.nonce !== only.nonce) found.push(wrong(`was mined with nonce ${only.nonce}`))
    if (isPayment && (only.to !== row.to || only.data !== row.data || only.value !== row.value))
      found.push(wrong(`was mined with another effect`))
    if (isCancel && (only.to !== row.address || only.data !== '0x' || only.value !== 0n))
      found.push(wrong('was cancelled by something that is not empty'))
  }
  if (state === 'final' && !isPayment) found.push(wrong('has no effect'))
  if (state === 'cancelled' && isPayment) found.push(wrong('has an effect'))
  if (state === 'cancelled' && !only && !other && attemptsOf(attemptOf, id) > 0)
    found.push(wrong('was signed, and nothing with its nonce is mined'))
  if (state === 'failed' && row.failureCode === null) found.push(wrong('has no reason'))
  if (state === 'failed' && (row.failureCode === 'reverted') !== (only !== undefined))
    found.push(wrong(`is ${only ? '' : 'not '}mined, and failed with ${row.failureCode}`))
  if (state === 'replaced') {
    if (mined.length > 0) found.push(wrong('was mined'))
    const isSame = other?.to === row.to && other.data === row.data && other.value === row.value
    const isEmpty = other?.to === row.address && other.data === '0x' && other.value === 0n
    if (other?.hash !== row.replacedBy)
      found.push(wrong(`names ${row.replacedBy}, not ${other?.hash}`))
    else if (!isSame && !isEmpty && row.cancelRequestedAt === null && !isGapFiller(row))
      found.push(wrong('was replaced by something else, and not sent again'))
  }
  return found
}

/** Nobody has requested it, so that it does not matter what uses its nonce. */
const isGapFiller = ({ requestHash }: TransactionRow) => requestHash === ''

const attemptsOf = (attempts: ReadonlyMap<string, History['attempts'][number]>, id: string) =>
  [...attempts.values()].filter(({ transactionId }) => transactionId === id).length

/** Each nonce has one transaction, and each transaction one nonce, unless a foreign transaction has taken one. */
function gaps(
  rows: History['rows'],
  attempts: History['attempts'],
  foreign: readonly MinedTransaction[],
): string[] {
  const found: string[] = []
  for (const [address, lane] of Map.groupBy(rows, (row) => row.address)) {
    if (foreign.some(({ from }) => from === address)) continue
    const nonces = lane.flatMap(({ nonce }) => nonce ?? []).toSorted((a, b) => a - b)
    if (nonces.some((nonce, index) => nonce !== index))
      found.push(`${address} has the nonces ${nonces.join(', ')}`)
    const nonceOf = new Map(lane.map(({ id, nonce }) => [id, nonce]))
    for (const { transactionId: id, nonce, hash } of attempts)
      if (nonceOf.has(id) && nonceOf.get(id) !== nonce)
        found.push(`${hash} of ${id} has nonce ${nonce} instead of ${nonceOf.get(id)}`)
  }
  return found
}
