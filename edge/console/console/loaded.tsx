/** What a view reads of the API before it can be drawn. */
import { useState } from 'hono/jsx/dom'
import type { Child } from 'hono/jsx'
import { failureInWords } from '../failure-in-words.ts'
import { useEffect } from '../use-effect.ts'

export type Loading<Value> = {
  state: 'loading' | 'failed' | 'there'
  /** What was read last: it stays while it is read again. */
  value?: Value
  failure?: unknown
  /** Reads it again: after a change. */
  again: () => Promise<void>
}

/** @param read asked when the view is drawn first, and again by `again` */
export function useLoaded<Value>(read: () => Promise<Value>): Loading<Value> {
  const [loading, setLoading] = useState<Omit<Loading<Value>, 'again'>>({ state: 'loading' })
  const again = async () => {
    try {
      setLoading({ state: 'there', value: await read() })
    } catch (failure) {
      setLoading({ state: 'failed', failure })
    }
  }
  useEffect(() => void again(), [])
  return { ...loading, again }
}

type LoadedProps<Value> = {
  of: Loading<Value>
  /** What is read, as "wallets". */
  what: string
  children: (value: Value) => Child
  /** What stands below it, and is not moved when it comes; also where it could not be read. */
  after?: Child
}

export function Loaded<Value>({ of, what, children, after }: LoadedProps<Value>) {
  switch (of.state) {
    case 'loading':
      return (
        <p class="loading" role="status">
          Reading the {what}…
        </p>
      )
    case 'failed':
      return (
        <>
          <NotRead failure={of.failure} what={what} again={of.again} />
          {after}
        </>
      )
    case 'there':
      return (
        <>
          {children(of.value as Value)}
          {after}
        </>
      )
  }
}

type NotReadProps = { failure: unknown; what: string; again: () => Promise<void> }

/** What this key may not read is said, and what may. */
const NotRead = ({ failure, what, again }: NotReadProps) => {
  const { message, fix, status } = failureInWords(failure)
  if (status === 403)
    return (
      <div class="warn">
        <p>
          This key may not read the {what}. {message}
        </p>
        <p>{fix}</p>
      </div>
    )
  return (
    <div class="problem" role="alert">
      <p>
        The {what} could not be read. {message} {fix}
      </p>
      <button type="button" class="quiet" onClick={() => void again()}>
        Try again
      </button>
    </div>
  )
}
