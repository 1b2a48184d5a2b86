const RESULT_SHOWN_MS = 2_000

export function copyOnClick(button: HTMLButtonElement, text: () => string, failed: string): void {
  const label = button.textContent
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
      button.textContent = 'Copied'
    } catch {
      button.textContent = failed
    }
    setTimeout(() => (button.textContent = label), RESULT_SHOWN_MS)
  }
  button.addEventListener('click', () => void copy())
}
