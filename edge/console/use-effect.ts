import { useEffect as useEveryEffect, useRef } from 'hono/jsx/dom'

export type Undo = () => void
type Held = { current: Undo | null }

/**
 * What is done after a drawing, once for each change of `deps`, and taken back before the next. Hono's own does it twice
 * where a component is drawn again within the frame, and takes back one of them.
 */
export function useEffect(effect: () => Undo | void, deps: readonly unknown[]): void {
  useEveryEffect(once(effect, useRef<Undo>(null)), deps)
}

/** @param held what the effect of the same place that was done last takes back, whether anybody asked it to or not */
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
