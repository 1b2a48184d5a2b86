import { useEffect as useEveryEffect, useRef } from 'hono/jsx/dom'

type EffectCleanup = () => void
type CleanupRef = { current: EffectCleanup | null }

/**
 * Replaces hono's `useEffect`, which has a defect: if a component is rendered twice within a frame, hono runs the
 * effect twice, but runs its cleanup function only once.
 */
export function useEffect(effect: () => EffectCleanup | void, deps: readonly unknown[]): void {
  useEveryEffect(cleanUpBeforeRerun(effect, useRef<EffectCleanup>(null)), deps)
}

/** @param held cleanup function of the previous effect, which hono may not have called */
export function cleanUpBeforeRerun(
  effect: () => EffectCleanup | void,
  held: CleanupRef,
): () => EffectCleanup {
  let undo: EffectCleanup | undefined
  return () => {
    if (undo) return undo
    held.current?.()
    const cleanUp = effect()
    undo = () => {
      if (held.current !== undo) return
      held.current = null
      cleanUp?.()
    }
    held.current = undo
    return undo
  }
}
