/** Runs one operation at a time, and announces its progress. */
import type { Perform } from './view.ts'
import { tell } from './told.ts'

let isBusy = false

/** @param after called after each operation, even a failed one */
export function performing(after: () => void): Perform {
  return async (what, work) => {
    // Controls are disabled during an operation, but events from before may still arrive.
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

/** Restores the focus, which the control lost when it was disabled. */
function backTo(pressed: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body && pressed instanceof HTMLElement) pressed.focus()
  })
}
