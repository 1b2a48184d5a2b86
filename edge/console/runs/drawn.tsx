import type { Child } from 'hono/jsx'
import { render, useState } from 'hono/jsx/dom'

/**
 * Draws into an element in place of what the Worker wrote there, and again for each value: what is the same keeps its
 * elements, and with them the focus.
 */
export function drawn<Value extends object>(
  element: HTMLElement,
  first: Value,
  draw: (value: Value) => Child,
): (value: Value) => void {
  let put: (value: Value) => void = () => {}
  const Drawn = () => {
    const [value, setValue] = useState(first)
    put = setValue
    return <>{draw(value)}</>
  }
  render(<Drawn />, element)
  return (value) => put(value)
}
