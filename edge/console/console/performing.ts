/** Runs the operations that a person starts, one at a time, and announces their progress. */
import type { Perform } from './view.ts'
import { tell } from './told.ts'

let isBusy = false

/** @param after called after each operation, whether it succeeded or failed */
export function performing(after: () => void): Perform {
  return async (what, work) => {
    // Controls are disabled during an operation, but events from before that may still arrive.
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

/** Returns the focus to the pressed control, which lost it when it was disabled. */
function backTo(pressed: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body && pressed instanceof HTMLElement) pressed.focus()
  })
}
