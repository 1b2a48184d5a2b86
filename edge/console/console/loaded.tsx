import { useState } from 'hono/jsx/dom'
import type { Child } from 'hono/jsx'
import { failureInWords } from '../failure-in-words.ts'
import { useEffect } from '../use-effect.ts'

export type Loading<Value> = {
  state: 'loading' | 'failed' | 'there'
  /** Last loaded value, which stays visible during a reload. */
  value?: Value
  failure?: unknown
  again: () => Promise<void>
}

/** @param read called on mount, and by each call of `again` */
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
  /** Loaded data, such as "wallets". */
  what: string
  children: (value: Value) => Child
  /** Shown only once loading has succeeded or failed, to avoid a layout shift. */
  after?: Child
}

export function Loaded<Value>({ of, what, children, after }: LoadedProps<Value>) {
  switch (of.state) {
    case 'loading':
      return (
        <p class="loading" role="status">
          Loading {what}…
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

/** A 403 is explained as a missing right of the key. Other errors offer to retry. */
const NotRead = ({ failure, what, again }: NotReadProps) => {
  const { message, fix, status } = failureInWords(failure)
  if (status === 403)
    return (
      <div class="warn">
        <p>
          This key cannot read the {what}. {message}
        </p>
        <p>{fix}</p>
      </div>
    )
  return (
    <div class="problem" role="alert">
      <p>
        Failed to load the {what}. {message} {fix}
      </p>
      <button type="button" class="quiet" onClick={() => void again()}>
        Try again
      </button>
    </div>
  )
}
