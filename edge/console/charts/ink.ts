import type { Colour } from './chart.ts'

/**
 * Resolves the page's colours for a canvas. CSS variables depend on the current colour scheme, so they are read from a
 * probe element.
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
