import { useEffect, useRef, useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'

type PoliciesModule = typeof import('/scripts/policies.js')

type Props = {
  what: string
  /** Renders a part of the module into the element, and returns a function that removes it. Called once. */
  show: (module: PoliciesModule, root: HTMLElement) => () => void
}

/** Shows a part of `policies/module.tsx`, which is loaded on demand and has its own copy of Preact. */
export const PolicyPart: FC<Props> = ({ what, show }) => {
  const root = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let remove: (() => void) | undefined
    let isGone = false
    setState('loading')
    import('/scripts/policies.js').then(
      (module) => {
        if (isGone) return
        setState('loaded')
        remove = show(module, root.current!)
      },
      () => setState('failed'),
    )
    return () => {
      isGone = true
      remove?.()
    }
  }, [attempt])
  return (
    <>
      {state === 'loading' && (
        <p class="note" role="status">
          Loading the {what}…
        </p>
      )}
      {state === 'failed' && (
        <div class="problem" role="alert">
          <p>The {what} could not be loaded. Check your connection.</p>
          <button type="button" class="quiet" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </button>
        </div>
      )}
      <div ref={root} />
    </>
  )
}
