/** How the console does what is pressed: one thing at a time, each told of. */
import type { Perform } from './view.ts'
import { tell } from './told.ts'

let isBusy = false

/** @param after what is looked at anew when something was done, whether it worked or not */
export function performing(after: () => void): Perform {
  return async (what, work) => {
    // Controls are dead meanwhile; keys that were pressed before that may still come.
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

/** Who works by keyboard goes on from what was pressed: a control that was dead for a while has lost the focus. */
function backTo(pressed: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body && pressed instanceof HTMLElement) pressed.focus()
  })
}
