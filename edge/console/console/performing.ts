/** Runs the operations that the person starts, one at a time, and announces their progress. */
import type { Perform } from './view.ts'
import { tell } from './told.ts'

let isBusy = false

/**
 * Creates the function that performs operations.
 * @param after called after each operation, whether it succeeded or failed
 */
export function performing(after: () => void): Perform {
  return async (what, work) => {
    // All controls are disabled during an operation, but events from before may still arrive.
    if (isBusy) return undefined
    isBusy = true
    const pressed = document.activeElement
    pressed?.setAttribute('aria-busy', 'true')
    tell({ what, state: 'under way' })
    try {
      const result = await work()
      tell({ what, state: 'done' })
      return result
    } catch (failure) {
      tell({ what, state: 'failed', failure })
      return undefined
    } finally {
      isBusy = false
      pressed?.removeAttribute('aria-busy')
      backTo(pressed)
      after()
    }
  }
}

/** Moves the focus back to the control that started the operation, which lost the focus when it was disabled. */
function backTo(pressed: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body && pressed instanceof HTMLElement) pressed.focus()
  })
}
