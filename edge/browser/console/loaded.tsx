import { useEffect, useState } from 'preact/hooks'
import type { Child } from 'hono/jsx'
import { describeFailure } from '../format/describe-failure.ts'

export type LoadState<Value> = {
  state: 'loading' | 'failed' | 'loaded'
  value?: Value
  failure?: unknown
  reload: () => Promise<void>
}

/** @param read function that loads the data; called on mount, and by each call of `reload` */
export function useLoaded<Value>(read: () => Promise<Value>): LoadState<Value> {
  const [loading, setLoading] = useState<Omit<LoadState<Value>, 'reload'>>({ state: 'loading' })
  const reload = async () => {
    try {
      setLoading({ state: 'loaded', value: await read() })
    } catch (failure) {
      setLoading({ state: 'failed', failure })
    }
  }
  useEffect(() => void reload(), [])
  return { ...loading, reload }
}

type LoadedProps<Value> = {
  of: LoadState<Value>
  what: string
  children: (value: Value) => Child
  /** Content that is shown only after loading has succeeded or failed, to avoid a layout shift. */
  after?: Child
}

export function Loaded<Value>({ of, what, children, after }: LoadedProps<Value>) {
  if (of.state === 'loading')
    return (
      <p class="loading" role="status">
        Loading {what}…
      </p>
    )
  return (
    <>
      {of.state === 'failed' ? <LoadFailure of={of} what={what} /> : children(of.value as Value)}
      {after}
    </>
  )
}

const LoadFailure = ({ of, what }: { of: LoadState<unknown>; what: string }) => {
  const { message, fix, status } = describeFailure(of.failure)
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
      <button type="button" class="quiet" onClick={() => void of.reload()}>
        Try again
      </button>
    </div>
  )
}
