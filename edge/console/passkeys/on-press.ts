import { inWords } from './in-words.ts'

/**
 * Returns a click handler that runs an operation with the person's authenticator. Only one operation runs at a time.
 * Progress and errors are shown in the page's live region.
 */
export function onPress(
  { button, status, waiting }: { button: HTMLButtonElement; status: HTMLElement; waiting: string },
  act: () => Promise<void>,
): () => Promise<void> {
  return async () => {
    if (button.disabled) return
    button.disabled = true
    status.textContent = waiting
    try {
      await act()
    } catch (failure) {
      status.textContent = inWords(failure)
      button.disabled = false
      button.focus()
    }
  }
}
