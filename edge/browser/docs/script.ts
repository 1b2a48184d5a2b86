import { copyOnClick } from '../components/copy-on-click.ts'
import { enableSearch } from './search-field.ts'

for (const sample of document.querySelectorAll('.sample')) {
  const code = sample.querySelector('code')
  const bar = sample.querySelector('.bar')
  if (!code || !bar || navigator.clipboard === undefined) continue
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = 'Copy'
  copyOnClick(button, () => code.textContent, 'Copy failed')
  // Without `aria-live`, screen readers would not announce the new label.
  button.setAttribute('aria-live', 'polite')
  bar.append(button)
}

const search = document.querySelector<HTMLFormElement>('#search')
if (search) enableSearch(search)
