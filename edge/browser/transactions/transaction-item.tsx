import type { Child, FC } from 'hono/jsx'
import type { Explorers } from '../../../shared/wire/public-chains.ts'
import { explainTransaction, STATE_NAMES } from '../../../shared/wire/transaction-words.ts'
import type { TransactionState } from '../../../shared/wire/transaction-states.ts'
import type { ListedTransaction } from '../../../shared/wire/transactions.ts'
import { Badge, Time } from '../components/elements.tsx'
import { UserText } from '../components/user-text.tsx'
import { Attempts, MainFacts, MoreFacts } from './transaction-facts.tsx'

const TONES: Partial<Record<TransactionState, 'good' | 'bad'>> = {
  mined: 'good',
  final: 'good',
  replaced: 'bad',
  failed: 'bad',
}

const EXPLANATION_MAX_CHARACTERS = 1_000

type Props = {
  explorers: Explorers
  transaction: ListedTransaction
  /** Controls for a pending transaction. */
  children?: Child
}

export const TransactionItem: FC<Props> = ({ explorers, transaction, children }) => {
  const { state, created_at, attempts } = transaction
  const tone = TONES[state]
  return (
    <li>
      <p class="transaction-state">
        <Badge {...(tone && { tone })}>{STATE_NAMES[state]}</Badge>
        <span>
          <UserText text={explainTransaction(transaction)} max={EXPLANATION_MAX_CHARACTERS} />
        </span>
        <span class="note">
          <Time at={Date.parse(created_at)} />
        </span>
      </p>
      <MainFacts explorers={explorers} transaction={transaction} />
      {children}
      <details>
        <summary>Details</summary>
        <MoreFacts transaction={transaction} />
        {attempts.length > 0 && (
          <>
            <h4>Attempts</h4>
            <Attempts explorers={explorers} transaction={transaction} />
          </>
        )}
      </details>
    </li>
  )
}
