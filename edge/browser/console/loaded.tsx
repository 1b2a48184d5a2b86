import { useState } from 'hono/jsx/dom'
import type { Child } from 'hono/jsx'
import { describeFailure } from '../format/describe-failure.ts'
import { useEffect } from '../components/use-effect.ts'

export type LoadState<Value> = {
  state: 'loading' | 'failed' | 'there'
  /** Last loaded value, which stays visible during a reload. */
  value?: Value
  failure?: unknown
  again: () => Promise<void>
}

/** @param read called on mount, and by each call of `again` */
export function useLoaded<Value>(read: () => Promise<Value>): LoadState<Value> {
  const [loading, setLoading] = useState<Omit<LoadState<Value>, 'again'>>({ state: 'loading' })
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
  of: LoadState<Value>
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
          <LoadFailure failure={of.failure} what={what} again={of.again} />
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

type LoadFailureProps = { failure: unknown; what: string; again: () => Promise<void> }

/** A 403 is explained as a missing right of the key. Other errors offer to retry. */
const LoadFailure = ({ failure, what, again }: LoadFailureProps) => {
  const { message, fix, status } = describeFailure(failure)
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
