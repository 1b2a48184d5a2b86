import { copyOnClick } from '../components/copy-on-click.ts'

export function enableCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    const text = () => document.getElementById(button.dataset.copy!)?.textContent?.trim() ?? ''
    copyOnClick(button, text, 'Copy failed; select the text')
  }
}
