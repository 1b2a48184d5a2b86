import { useEffect as useEveryEffect, useRef } from 'hono/jsx/dom'

export type Undo = () => void
type Held = { current: Undo | null }

/**
 * Replaces hono's `useEffect`, which has a defect: if a component is rendered twice within a frame, hono runs the
 * effect twice, but undoes it only once.
 */
export function useEffect(effect: () => Undo | void, deps: readonly unknown[]): void {
  useEveryEffect(once(effect, useRef<Undo>(null)), deps)
}

/**
 * Undoes an effect before it runs again.
 * @param held undo function of the previous effect, which hono may not have called
 */
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
