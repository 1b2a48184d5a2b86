import { useEffect, useRef, useState } from 'preact/hooks'

type Props<Module> = {
  what: string
  load: () => Promise<Module>
  /** Renders a part of the module into the element, and returns a function that removes it. Called once. */
  show: (module: Module, root: HTMLElement) => () => void
}

/** Shows a part of a module that is loaded on demand and has its own copy of Preact. */
export function LazyPart<Module>({ what, load, show }: Props<Module>) {
  const root = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let remove: (() => void) | undefined
    let isGone = false
    setState('loading')
    load().then(
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
