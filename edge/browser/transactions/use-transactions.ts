import { useEffect, useRef, useState } from 'preact/hooks'
import type { FailureMessage } from '../format/describe-failure.ts'
import { describeFailure } from '../format/describe-failure.ts'
import { STATE_NAMES } from '../../../shared/wire/transaction-words.ts'
import type { ListedTransaction } from '../../../shared/wire/transactions.ts'
import { poll } from '../runs/poll.ts'
import { nextPollMs } from './next-poll.ts'

type Options = {
  read: () => Promise<readonly ListedTransaction[]>
  /** Returns true once polling can end. */
  isOver: (transactions: readonly ListedTransaction[]) => boolean
}

export type LiveTransactions = {
  /** Undefined until the first response. */
  transactions: readonly ListedTransaction[] | undefined
  /** Present if polling has ended with a failure. */
  failure: FailureMessage | undefined
  /** Announcement for screen readers. */
  news: string
  /** Message while updates fail and are retried. */
  trouble: string | undefined
  /** Reads again at once, and resumes polling. */
  refresh: () => void
}

/** Polls transactions while the tab is visible. The interval grows while nothing changes. */
export function useTransactions(options: Options): LiveTransactions {
  const latest = useRef(options)
  latest.current = options
  const known = useRef<readonly ListedTransaction[] | undefined>(undefined)
  const [transactions, setTransactions] = useState(known.current)
  const [failure, setFailure] = useState<FailureMessage | undefined>(undefined)
  const [news, setNews] = useState('')
  const [trouble, setTrouble] = useState<string | undefined>(undefined)
  const [round, setRound] = useState(0)
  useEffect(() => {
    let isGone = false
    let pauseMs = 0
    const ask = async () => {
      if (isGone) return undefined
      let read: readonly ListedTransaction[]
      try {
        read = await latest.current.read()
      } catch (error) {
        if (isGone) return undefined
        // A later failure is retried, because it is probably temporary.
        if (known.current !== undefined && !isRefusal(error)) throw error
        setFailure(describeFailure(error))
        setTrouble(undefined)
        return undefined
      }
      if (isGone) return undefined
      const isChanged = JSON.stringify(read) !== JSON.stringify(known.current)
      setNews(stateChanges(known.current, read))
      known.current = read
      setTransactions(read)
      setFailure(undefined)
      setTrouble(undefined)
      pauseMs = nextPollMs(pauseMs, isChanged)
      return latest.current.isOver(read) ? undefined : pauseMs
    }
    void poll(ask, () => false, setTrouble)
    return () => {
      isGone = true
    }
  }, [round])
  return { transactions, failure, news, trouble, refresh: () => setRound((count) => count + 1) }
}

const isRefusal = (error: unknown): boolean =>
  [401, 403].includes((error as { status?: number }).status ?? 0)

function stateChanges(
  before: readonly ListedTransaction[] | undefined,
  after: readonly ListedTransaction[],
): string {
  const states = new Map(before?.map(({ id, state }) => [id, state]))
  return after
    .filter(({ id, state }) => states.has(id) && states.get(id) !== state)
    .map(({ chain, state }) => `Transaction on ${chain}: ${STATE_NAMES[state]}.`)
    .join(' ')
}
