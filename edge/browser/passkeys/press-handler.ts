import { describePasskeyFailure } from './describe-passkey-failure.ts'

/** Only one operation runs at a time. Progress and errors are shown in the page's live region. */
export function pressHandler(
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
      status.textContent = describePasskeyFailure(failure)
      button.disabled = false
      button.focus()
    }
  }
}
