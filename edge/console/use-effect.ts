import { useEffect as useEveryEffect, useRef } from 'hono/jsx/dom'

export type Undo = () => void
type Held = { current: Undo | null }

/**
 * Runs an effect after rendering, once per change of `deps`, and undoes it before the next one. If a component is
 * rendered again within the same frame, hono's own `useEffect` runs the effect twice, but undoes it only once.
 */
export function useEffect(effect: () => Undo | void, deps: readonly unknown[]): void {
  useEveryEffect(once(effect, useRef<Undo>(null)), deps)
}

/** @param held undo function of the previous effect in the same place, which hono may not have called */
export function once(effect: () => Undo | void, held: Held): () => Undo {
  let undo: Undo | undefined
  return () => {
    if (undo) return undo
    held.current?.()
    const takeBack = effect()
    undo = () => {
      if (held.current !== undo) return
      held.current = null
      takeBack?.()
    }
    held.current = undo
    return undo
  }
}
