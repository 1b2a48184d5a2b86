import type { FC } from 'hono/jsx'
import type { LiveTransactions } from './use-transactions.ts'

/** Announces changes of states. Failed updates are also visible. */
export const Updates: FC<Pick<LiveTransactions, 'news' | 'trouble'>> = ({ news, trouble }) => (
  <p class={trouble === undefined ? 'transactions-news' : 'note'} role="status">
    {trouble ?? news}
  </p>
)
