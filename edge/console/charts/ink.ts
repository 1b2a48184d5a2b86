import type { Colour } from './chart.ts'

/**
 * Resolves the names of the page's colours to values for a canvas. The colours are CSS variables that depend on the
 * current colour scheme, so they are read from a temporary element.
 */
export function inkOf(element: HTMLElement): (colour: Colour | 'line') => string {
  return (colour) => {
    const probe = document.createElement('span')
    probe.style.color = `var(--${colour})`
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}
