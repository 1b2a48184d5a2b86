import type { Child } from 'hono/jsx'
import { render, useState } from 'hono/jsx/dom'

const FOCUSABLE = 'a, button, summary'

/**
 * Replaces the Worker's markup with a component. The first rendering creates new elements, so this function then
 * restores the focus and the expanded `<details>` by their positions. Later renderings reuse unchanged elements.
 * @returns a function that renders the component again with a new value
 */
export function replaceMarkup<Value extends object>(
  element: HTMLElement,
  first: Value,
  renderValue: (value: Value) => Child,
): (value: Value) => void {
  let update: (value: Value) => void = () => {}
  const Content = () => {
    const [value, setValue] = useState(first)
    update = setValue
    return <>{renderValue(value)}</>
  }
  const all = <Kind extends HTMLElement>(selector: string) => [
    ...element.querySelectorAll<Kind>(selector),
  ]
  const focused = all(FOCUSABLE).indexOf(document.activeElement as HTMLElement)
  const openDetails = all<HTMLDetailsElement>('details').map(({ open }) => open)
  render(<Content />, element)
  all(FOCUSABLE)[focused]?.focus({ preventScroll: true })
  for (const [i, details] of all<HTMLDetailsElement>('details').entries())
    if (openDetails[i]) details.open = true
  return (value) => update(value)
}
