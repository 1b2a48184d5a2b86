import type { Child } from 'hono/jsx'
import { render } from 'preact'

/**
 * Renders into an element with the Worker's markup. The first rendering reuses its elements, and therefore keeps the
 * focus, but it resets attributes. `<details>` that the person expanded are expanded again.
 */
export function renderOver(element: HTMLElement, content: Child): void {
  const expanded = element.querySelectorAll<HTMLDetailsElement>('details[open]')
  render(content, element)
  for (const details of expanded) details.open = true
}
