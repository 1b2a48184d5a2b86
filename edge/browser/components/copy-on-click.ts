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

export function enableCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    const text = () => document.getElementById(button.dataset.copy!)?.textContent?.trim() ?? ''
    copyOnClick(button, text, 'Copy failed; select the text')
  }
}
