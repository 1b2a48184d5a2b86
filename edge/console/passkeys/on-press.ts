import { inWords } from './in-words.ts'

/**
 * Does something that asks the person's authenticator: once at a time, and what becomes of it is said in the page's
 * live region.
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
