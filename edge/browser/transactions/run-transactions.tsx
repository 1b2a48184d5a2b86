/**
 * Transactions of a run. The session of the page cannot read them, because they belong to an account: reading them
 * needs a key of the account (docs/decisions/0061-the-console-and-its-key.md).
 */
import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { ReceiptTransaction } from '../../../shared/receipts/receipt-transaction.ts'
import { hasApiKeyFormat } from '../../../shared/wire/api-key.ts'
import type { Explorers } from '../../../shared/wire/public-chains.ts'
import { Field } from '../components/form-fields.tsx'
import { readSubmittedForm } from '../console/submitted-form.ts'
import { ReceiptTransactions } from '../runs/receipt-transactions.tsx'
import type { TransactionOperations } from './operations.ts'
import { ReadFailure } from './read-failure.tsx'
import { TransactionItem } from './transaction-item.tsx'
import { Updates } from './updates.tsx'
import { useTransactions } from './use-transactions.ts'

export type RunTransactionsProps = {
  explorers: Explorers
  runId: string
  /** From the receipt of the run. Empty while there is none. */
  sent: readonly ReceiptTransaction[]
  isFinished: boolean
  baseUrl: string
  /** Creates the operations for a key, which is not stored. */
  open: (apiKey: string) => Promise<TransactionOperations>
  /** Operations with the key that the console has stored in this tab, if any. */
  opened: TransactionOperations | undefined
}

export const RunTransactions: FC<RunTransactionsProps> = (props) => {
  const { explorers, sent, baseUrl, open } = props
  const [operations, setOperations] = useState(props.opened)
  if (operations)
    return (
      <Live key="live" {...props} operations={operations} change={() => setOperations(undefined)} />
    )
  if (sent.length === 0) return <></>
  return (
    <section class="card transactions" aria-labelledby="transactions-title">
      <h2 id="transactions-title">Transactions</h2>
      <ReceiptTransactions explorers={explorers} transactions={sent} />
      <KeyForm baseUrl={baseUrl} open={async (apiKey) => setOperations(await open(apiKey))} />
    </section>
  )
}

type KeyFormProps = { baseUrl: string; open: (apiKey: string) => Promise<void> }

const KeyForm: FC<KeyFormProps> = ({ baseUrl, open }) => {
  const [error, setError] = useState<string | undefined>(undefined)
  const submit = async (event: Event) => {
    const apiKey = readSubmittedForm(event).text('api_key')
    if (!hasApiKeyFormat(apiKey))
      return setError('Invalid API key: expected 44 characters of base64. Nothing was sent.')
    setError(undefined)
    await open(apiKey).catch(() =>
      setError('A part of this page could not be loaded. Check your connection.'),
    )
  }
  return (
    <form onSubmit={(event: Event) => void submit(event)}>
      <Field
        name="api_key"
        label="API key"
        hint={
          <>
            To load the states. Enter the account key, or the usage key of the trigger. It is sent
            only to <code>{baseUrl}</code>, and is discarded when you leave this page.
          </>
        }
        error={error}
        type="password"
        required
        autocomplete="current-password"
        spellcheck={false}
      />
      <button>Load states</button>
    </form>
  )
}

type LiveProps = RunTransactionsProps & { operations: TransactionOperations; change: () => void }

const Live: FC<LiveProps> = ({ explorers, runId, sent, isFinished, operations, change }) => {
  const { transactions, failure, news, trouble, refresh } = useTransactions({
    read: async () => {
      const all = await operations.list({ run_id: runId }).all()
      return all.toSorted((a, b) => (a.step ?? 0) - (b.step ?? 0))
    },
    isOver: (read) => isFinished && read.every(({ ended_at }) => ended_at !== null),
  })
  const known = new Set(transactions?.map(({ id }) => id))
  const unknown = sent.filter(({ id }) => !known.has(id))
  if (sent.length === 0 && known.size === 0) return <></>
  return (
    <section class="card transactions" aria-labelledby="transactions-title">
      <h2 id="transactions-title">Transactions</h2>
      <Updates {...{ news, trouble }} />
      {failure && <ReadFailure failure={failure} retry={refresh} />}
      {!failure && !transactions && <p class="note">Loading the transactions…</p>}
      {transactions && transactions.length > 0 && (
        <ol>
          {transactions.map((transaction) => (
            <TransactionItem key={transaction.id} explorers={explorers} transaction={transaction} />
          ))}
        </ol>
      )}
      {unknown.length > 0 && <ReceiptTransactions explorers={explorers} transactions={unknown} />}
      {(failure || (transactions && unknown.length > 0)) && (
        <>
          {!failure && <p>This key cannot read these transactions.</p>}
          <button type="button" class="quiet" onClick={change}>
            Use another key
          </button>
        </>
      )}
      <p class="note">
        To speed up or cancel a transaction, open its wallet in the{' '}
        <a href="/console#wallets">console</a>.
      </p>
    </section>
  )
}
