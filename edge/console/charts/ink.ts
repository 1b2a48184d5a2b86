import type { Colour } from './chart.ts'

/** Resolves colour names for a canvas, by a temporary element: the CSS variables depend on the colour scheme. */
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
