import type { FC } from 'hono/jsx'
import type { TransactionEntry, Signing } from './signing.ts'
import { useSigning } from './use-signing.ts'

const STATE_TEXTS: Record<TransactionEntry['state'], string> = {
  sent: 'sent, waiting for a block',
  late: 'sent after this page stopped waiting; reload to see its effect',
  mined: 'in block',
  seen: 'confirmed by the service, in block',
  failed: 'failed',
}

export const SentTransactions: FC<{ signing: Signing }> = ({ signing }) => {
  const { sent } = useSigning(signing)
  return (
    <section class="sent" aria-labelledby="sent-title" hidden={sent.length === 0}>
      <h3 id="sent-title">Your transactions</h3>
      <div role="status">
        <ol>
          {sent.map(({ title, transaction, state, block }) => (
            <li key={transaction}>
              <span>
                {title}: {STATE_TEXTS[state]}
                {block !== undefined && ` ${block}`}
              </span>
              <code title={transaction}>{transaction.slice(0, 18)}…</code>
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}
