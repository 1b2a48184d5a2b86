import type { Perform, PerformChange } from './view.ts'
import { reportProgress } from './progress.ts'

let isBusy = false

/** @param after called after each operation, even if the operation failed */
export function createPerform(after: () => void): Perform {
  return async (what, work) => {
    // Controls are disabled during an operation, but earlier events may still arrive.
    if (isBusy) return undefined
    isBusy = true
    const pressed = document.activeElement
    pressed?.setAttribute('aria-busy', 'true')
    reportProgress({ what, state: 'in progress' })
    try {
      const result = await work()
      reportProgress({ what, state: 'done' })
      return result
    } catch (failure) {
      reportProgress({ what, state: 'failed', failure })
      return undefined
    } finally {
      isBusy = false
      pressed?.removeAttribute('aria-busy')
      restoreFocus(pressed)
      after()
    }
  }
}

/** Restores the focus to the control, which lost it when it was disabled. */
function restoreFocus(pressed: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body && pressed instanceof HTMLElement) pressed.focus()
  })
}

export function performAndReload(perform: Perform, reload: () => Promise<void>): PerformChange {
  return async (what, work) => {
    const done = await perform(what, async () => ({ answer: await work() }))
    if (done) await reload()
    return done !== undefined
  }
}
